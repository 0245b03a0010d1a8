import { SchedulerError } from '../error'

/** Torque uses four levels: an element in an element of a job in the document. */
const DEPTH_MAX = 8

/** The texts in an element by name; nested elements by both names, such as `Resource_List.walltime`. */
export type XmlRecord = Record<string, string>

/**
 * The elements of this name in the output of Torque's commands with -x. It has elements without attributes; text has a
 * control character in place of each < or the five predefined entities. For several jobs there are several documents in
 * a row. Yields one record at a time, since the records of ten thousand jobs would take much memory.
 */
export function* xmlRecords(xml: string, name: 'Job' | 'Node'): Generator<XmlRecord> {
  const open: string[] = []
  let record: XmlRecord | undefined
  let depth = 0
  let end = -1
  for (let start = xml.indexOf('<'); start >= 0; start = xml.indexOf('<', end)) {
    const text = end + 1
    end = xml.indexOf('>', start)
    if (end < 0) throw broken(xml)
    if (xml[start + 1] === '?') continue
    if (xml[start + 1] !== '/') {
      open.push(xml.slice(start + 1, end))
      if (open.length > DEPTH_MAX) throw broken(xml)
      if (record || open.at(-1) !== name) continue
      record = {}
      depth = open.length
      continue
    }
    const tag = xml.slice(start + 2, end)
    if (open.pop() !== tag) throw broken(xml)
    if (record && open.length < depth) {
      yield record
      record = undefined
    } else if (record && start > text) {
      const key = open.length > depth ? `${open.slice(depth).join('.')}.${tag}` : tag
      record[key] = unescape(xml.slice(text, start))
    }
  }
  if (open.length) throw broken(xml)
}

const broken = (xml: string) =>
  new SchedulerError(
    'unknown',
    'Torque sent XML that is truncated or not its own. Check its server.',
    xml.slice(-300),
  )

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const LESS_THAN = '\u000e'
const unescape = (text: string) => {
  const plain = text.includes(LESS_THAN) ? text.replaceAll(LESS_THAN, '<') : text
  return plain.includes('&')
    ? plain.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => entities[name] ?? '')
    : plain
}
