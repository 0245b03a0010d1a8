import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'

export type MarkdownRoot = ReturnType<typeof fromMarkdown>

export const parseMarkdown = (text: string): MarkdownRoot =>
  fromMarkdown(text, {
    // HTML is text like any other: nothing that an author writes becomes an element or an attribute of its own.
    extensions: [gfmTable(), { disable: { null: ['htmlFlow', 'htmlText'] } }],
    mdastExtensions: [gfmTableFromMarkdown()],
  })

/** The highest level of headings in these texts, as authors begin with `#` or with `##`. */
export const topHeadingOf = (roots: readonly MarkdownRoot[]): number =>
  Math.min(
    6,
    ...roots.flatMap(({ children }) =>
      children.flatMap((node) => (node.type === 'heading' ? node.depth : [])),
    ),
  )
