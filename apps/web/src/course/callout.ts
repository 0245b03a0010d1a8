/** GitHub's callouts: a quote that begins with `[!NOTE]`. */
const callouts = {
  NOTE: { tone: 'gray', title: 'Note' },
  TIP: { tone: 'green', title: 'Tip' },
  IMPORTANT: { tone: 'amber', title: 'Important' },
  WARNING: { tone: 'amber', title: 'Warning' },
  CAUTION: { tone: 'red', title: 'Caution' },
} as const

/** The callout that the first paragraph of a quote begins, and the rest of that paragraph. */
export function calloutOf<Node extends { type: string }>(paragraph: { children: readonly Node[] }) {
  const [first, ...rest] = paragraph.children
  if (!first || !('value' in first) || typeof first.value !== 'string' || first.type !== 'text') return null
  const [mark = '', name = ''] = /^\[!([A-Z]+)\][ \t]*(\n|$)/.exec(first.value) ?? []
  if (!isCallout(name)) return null
  const value = first.value.slice(mark.length)
  return { ...callouts[name], children: value ? [{ ...first, value }, ...rest] : rest }
}

const isCallout = (name: string): name is keyof typeof callouts => Object.hasOwn(callouts, name)
