import type { Value } from './values'

/** The nodes of a syntax tree. */
export type Node =
  | { is: 'literal'; value: Value }
  | { is: 'template'; parts: Node[] }
  | { is: 'name'; name: string }
  | { is: 'member'; of: Node; name: string }
  | { is: 'index'; of: Node; key: Node }
  /** `list[*].name`: `rest` is evaluated for each element, which it refers to as EACH_ONE. */
  | { is: 'each'; of: Node; rest: Node }
  | { is: 'call'; name: string; args: Node[]; spread: boolean }
  | { is: 'unary'; sign: '!' | '-'; of: Node }
  | { is: 'binary'; sign: string; left: Node; right: Node }
  | { is: 'choice'; test: Node; yes: Node; no: Node }
  | { is: 'list'; items: Node[] }
  | { is: 'object'; entries: { key: Node; value: Node }[] }
  | {
      is: 'for'
      /** The name of the key or index, if one is declared. */
      keyName: string | undefined
      valueName: string
      of: Node
      /** Set if the result is an object. */
      key: Node | undefined
      value: Node
      grouped: boolean
      test: Node | undefined
    }

/** A name that no module can use. */
export const EACH_ONE = '*'

/** A node and all its descendants. */
export function* walk(node: Node): Generator<Node> {
  yield node
  for (const child of children(node)) yield* walk(child)
}

function children(node: Node): Node[] {
  switch (node.is) {
    case 'literal':
    case 'name':
      return []
    case 'template':
      return node.parts
    case 'member':
    case 'unary':
      return [node.of]
    case 'index':
      return [node.of, node.key]
    case 'each':
      return [node.of, node.rest]
    case 'call':
      return node.args
    case 'binary':
      return [node.left, node.right]
    case 'choice':
      return [node.test, node.yes, node.no]
    case 'list':
      return node.items
    case 'object':
      return node.entries.flatMap(({ key, value }) => [key, value])
    case 'for':
      return [node.of, node.key, node.value, node.test].filter((one) => one !== undefined)
  }
}
