import { Fragment, useMemo } from 'react'
import type { ReactNode } from 'react'
import { Callout } from '../ui/feedback/callout'
import { ExternalLink } from '../ui/button/link'
import { calloutOf } from './callout'
import { CodeBlock } from './code-block'
import { useCourse } from './course-context'
import type { CourseReference } from './course-context'
import { DownloadLink, Picture } from './course-file'
import { fileAt, linkTarget } from './links'
import { parseMarkdown, type MarkdownRoot } from './parse-markdown'

type Node = MarkdownRoot['children'][number]
type Parent = { children: readonly Node[] }
type Definitions = Map<string, string>

/** Deeper nesting is not rendered: no course needs it, and it could exhaust the browser. */
const DEPTH_MAX = 40

/** Markdown as React elements. No HTML is generated, so there is none to sanitize. */
export function Markdown({ root, topHeading = 1 }: { root: MarkdownRoot; topHeading?: number }) {
  const course = useCourse()
  const definitions: Definitions = new Map()
  for (const node of root.children) if (node.type === 'definition') definitions.set(node.identifier, node.url)
  return <>{render(root, { course, definitions, topHeading, depth: 0 })}</>
}

/** A short text, such as a choice of a quiz. */
export function MarkdownText({ text }: { text: string }) {
  return <Markdown root={useMemo(() => parseMarkdown(text), [text])} />
}

type Drawing = { course: CourseReference; definitions: Definitions; topHeading: number; depth: number }

const render = (parent: Parent, drawing: Drawing): ReactNode =>
  drawing.depth > DEPTH_MAX
    ? null
    : parent.children.map((node, at) => (
        <Fragment key={at}>{element(node, { ...drawing, depth: drawing.depth + 1 })}</Fragment>
      ))

/** The page has the h1, and the chapter the h2. */
const headings = ['h3', 'h4', 'h5', 'h6'] as const

function element(node: Node, drawing: Drawing): ReactNode {
  const { course, definitions } = drawing
  switch (node.type) {
    case 'text':
    case 'html':
      return node.value
    case 'paragraph':
      return <p>{render(node, drawing)}</p>
    case 'heading': {
      const Heading = headings[node.depth - drawing.topHeading] ?? 'h6'
      return <Heading>{render(node, drawing)}</Heading>
    }
    case 'emphasis':
      return <em>{render(node, drawing)}</em>
    case 'strong':
      return <strong>{render(node, drawing)}</strong>
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'code':
      return <CodeBlock code={node.value} language={node.lang ?? ''} />
    case 'break':
      return <br />
    case 'thematicBreak':
      return <hr />
    case 'list':
      return node.ordered ? (
        <ol start={node.start ?? 1}>{render(node, drawing)}</ol>
      ) : (
        <ul>{render(node, drawing)}</ul>
      )
    case 'listItem':
      return (
        <li>
          {node.spread ? render(node, drawing) : render({ children: node.children.flatMap(tight) }, drawing)}
        </li>
      )
    case 'blockquote':
      return <Quote node={node} drawing={drawing} />
    case 'table':
      return <Table node={node} drawing={drawing} />
    case 'link':
      return (
        <Link url={node.url} course={course}>
          {render(node, drawing)}
        </Link>
      )
    case 'linkReference':
      return (
        <Link url={definitions.get(node.identifier) ?? ''} course={course}>
          {render(node, drawing)}
        </Link>
      )
    case 'image':
      return <Image url={node.url} alt={node.alt ?? ''} course={course} />
    case 'imageReference':
      return <Image url={definitions.get(node.identifier) ?? ''} alt={node.alt ?? ''} course={course} />
    // Definitions were read before; the other nodes belong to a table or to extensions that are not used.
    case 'definition':
    case 'tableRow':
    case 'tableCell':
    case 'delete':
    case 'footnoteDefinition':
    case 'footnoteReference':
    case 'yaml':
      return null
  }
}

/** The paragraphs of a tight list have no space around them. */
const tight = (node: Node): readonly Node[] => (node.type === 'paragraph' ? node.children : [node])

function Quote({ node, drawing }: { node: Extract<Node, { type: 'blockquote' }>; drawing: Drawing }) {
  const [first, ...rest] = node.children
  const callout = first?.type === 'paragraph' ? calloutOf(first) : null
  if (!callout) return <blockquote>{render(node, drawing)}</blockquote>
  const { tone, title, children } = callout
  return (
    <Callout tone={tone} title={title}>
      {children.length > 0 && <p>{render({ children }, drawing)}</p>}
      {render({ children: rest }, drawing)}
    </Callout>
  )
}

function Table({ node, drawing }: { node: Extract<Node, { type: 'table' }>; drawing: Drawing }) {
  const [head, ...rows] = node.children
  const cells = (row: (typeof rows)[number], Cell: 'th' | 'td') => (
    <tr>
      {row.children.map((cell, at) => (
        <Cell key={at} data-align={node.align?.[at] ?? undefined}>
          {render(cell, drawing)}
        </Cell>
      ))}
    </tr>
  )
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a wide table is scrolled by keyboard too
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table">
      <table>
        {head && <thead>{cells(head, 'th')}</thead>}
        <tbody>
          {rows.map((row, at) => (
            <Fragment key={at}>{cells(row, 'td')}</Fragment>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Link({ url, course, children }: { url: string; course: CourseReference; children: ReactNode }) {
  const target = linkTarget(url, course.files)
  if (target?.kind === 'file') return <DownloadLink file={target.file}>{children}</DownloadLink>
  if (target?.kind === 'web') return <ExternalLink href={target.href}>{children}</ExternalLink>
  return <>{children}</>
}

/** Only pictures of the course itself: an external one would reveal to its site who reads the course. */
function Image({ url, alt, course }: { url: string; alt: string; course: CourseReference }) {
  const file = fileAt(url, course.files)
  if (file?.picture) return <Picture file={file} alt={alt} />
  return <span className="text-ink-3">[Image not shown: {alt ? `“${alt}”` : url}]</span>
}
