import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'

export type MarkdownRoot = ReturnType<typeof fromMarkdown>

export const parseMarkdown = (text: string): MarkdownRoot =>
  fromMarkdown(text, {
    // HTML is treated as text, so nothing that an author writes becomes an HTML element or attribute.
    extensions: [gfmTable(), { disable: { null: ['htmlFlow', 'htmlText'] } }],
    mdastExtensions: [gfmTableFromMarkdown()],
  })

/** The highest heading level in these texts: some authors begin with `#`, others with `##`. */
export const topHeadingOf = (roots: readonly MarkdownRoot[]): number =>
  Math.min(
    6,
    ...roots.flatMap(({ children }) =>
      children.flatMap((node) => (node.type === 'heading' ? node.depth : [])),
    ),
  )
