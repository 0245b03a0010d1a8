import { readBounded } from '../bounds'
import type { NodeInfo } from '../scheduler'
import { isJson, nodesFromJson } from './json'
import { nodeState } from './nodes-state'
import { gpus, text } from './values'

/**
 * Uses `scontrol` instead of `sinfo --json`: it reports everything about every node, needs no JSON plugin, and its
 * format is older than 22.05, while the JSON of sinfo no longer lists nodes in newer versions.
 */
export const showNodes = (...names: string[]): string[] => [
  'env',
  'SLURM_TIME_FORMAT=%s',
  'scontrol',
  '--details',
  '--oneliner',
  '--all',
  'show',
  'node',
  ...names,
]

export const readNodes = (output: string): NodeInfo[] =>
  isJson(output)
    ? nodesFromJson(output)
    : readBounded('nodes', output.split(/\n(?=NodeName=)/).filter(Boolean), readNode)

/** Longer than any line that Slurm prints for a node. */
const LINE_MAX = 65_536

function readNode(whole: string): NodeInfo {
  const line = whole.slice(0, LINE_MAX)
  // The reason is free text and comes last, so its content must not be parsed as other fields.
  const at = line.indexOf(' Reason=')
  const facts = new Map(
    (at < 0 ? line : line.slice(0, at)).split(' ').map((word) => {
      const equals = word.indexOf('=')
      return [word.slice(0, equals), word.slice(equals + 1)]
    }),
  )
  const reason = at < 0 ? '' : line.slice(at + ' Reason='.length)
  const fact = (name: string) => text(facts.get(name))
  const number = (name: string) => Number(fact(name) ?? 0)
  const optional = (name: string) => (fact(name) === undefined ? undefined : number(name))
  const native = fact('State') ?? 'UNKNOWN'
  return {
    name: fact('NodeName') ?? '',
    ...nodeState(native.split('+')),
    nativeState: native,
    cores: number('CPUTot'),
    coresUsed: number('CPUAlloc'),
    gpus: gpus(fact('Gres')),
    gpusUsed: gpus(fact('GresUsed')),
    memoryMb: number('RealMemory'),
    memoryFreeMb: optional('FreeMem'),
    load: optional('CPULoad'),
    partitions: fact('Partitions')?.split(',') ?? [],
    reason: reasonText(reason),
  }
}

/** The maximum length of a reason that is shown. */
const REASON_MAX = 1000

/** The reason without its author and time, which Slurm appends to its first line. */
const reasonText = (reason: string): string =>
  reason
    .slice(0, REASON_MAX)
    .replace(/ \[[^\]@[]+@[^\]]*\]/, '')
    .replace(/ (Comment|Extra)=.*$/s, '')
    .replace(/\s+/g, ' ')
    .trim()
