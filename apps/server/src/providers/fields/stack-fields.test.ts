import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { StackInput, stackFileFields } from '@flotilla/contract/stacks/entity'
import type { ProviderId } from '@flotilla/contract/site/config'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { builtProviders, madeFrom, partsOf, stackInputOf } from '../../../test/support/modules/image-build'
import { stackChanges } from '../../../test/support/modules/stack-changes'
import { buildFiles } from '../../modules/stacks/build'
import { cloudProviders } from '../registry'

const file = path.join(import.meta.dirname, '../../../../../docs/fields.md')
/** The part of the document about stacks. */
async function written(): Promise<{ lines: string[]; reasons: string }> {
  const [, text = ''] = (await readFile(file, 'utf8')).split('\n## Stacks\n')
  const [stacks = ''] = text.split('\n## ')
  const [rows = '', reasons = ''] = stacks.split('\n### Kept, but without effect on the image\n')
  return { lines: rows.split('\n'), reasons }
}
/** The order of the columns in the table. */
const columns: ProviderId[] = ['aws', 'azure', 'gcp', 'oracle', 'maas']

/** The fields that have an effect on MAAS, where nothing is built. */
const registered = new Set(['data.source_image', 'data.manager'])

async function shows(provider: ProviderId, at: string): Promise<string> {
  if (cloudProviders[provider].refusals.some((refusal) => refusal.path === at)) return 'refused'
  if (provider === 'maas') return registered.has(at) ? 'image' : 'kept'
  const { base, input, files } = stackChanges(provider, at)
  const before = madeFrom(await partsOf(provider, base))
  const after = madeFrom(await partsOf(provider, input, files))
  const where = [
    ...(before.template === after.template ? [] : ['template']),
    ...(before.machine === after.machine ? [] : ['machine']),
  ]
  return where.join(', ') || 'kept'
}

/** The parts of JSON Schema that are used. */
interface Node {
  properties?: Record<string, Node>
}
/** Every field, derived from the schema; a file counts as one field. */
function leaves(node: Node, at: string[] = []): string[] {
  if (stackFileFields.some((name) => name === at.at(-1)) || !node.properties) return [at.join('.')]
  return Object.entries(node.properties).flatMap(([name, one]) => leaves(one, [...at, name]))
}
// zod's own type is wider than what is used here.
const fields = leaves(z.toJSONSchema(StackInput, { io: 'input' }) as Node)

const table = await Promise.all(
  fields.map(async (at) => ({ path: at, where: await Promise.all(columns.map((one) => shows(one, at))) })),
)

describe('every field of a stack', () => {
  it('is in docs/fields.md with its effect', async () => {
    const { lines } = await written()
    const rows = table.map(({ path: at, where }) => `| \`${at}\` | ${where.join(' | ')} |`)
    const missing = rows.filter((row) => !lines.includes(row))
    expect(missing, `These rows belong in docs/fields.md:\n${missing.join('\n')}`).toEqual([])
    expect(lines.filter((line) => line.startsWith('| `') && !rows.includes(line))).toEqual([])
  })

  it('without an effect on the image has its reason there', async () => {
    const { reasons } = await written()
    const idle = table.filter(({ where }) => where.every((one) => one === 'kept' || one === 'refused'))
    const given = [...reasons.matchAll(/^\| `([\w.-]+)` \| .{10,} \|$/gm)].map(([, at = '']) => at)
    expect(given.toSorted()).toEqual(idle.map(({ path: at }) => at).toSorted())
  })

  it.each(builtProviders)('goes into a template of %s only as a variable', async (provider) => {
    const input = stackInputOf(provider)
    const mark = 'typed-by-somebody'
    const chosen = ['manager', 'source_os_type', 'image_gpu_software']
    for (const [name, value] of Object.entries(input.data))
      if (typeof value === 'string' && !chosen.includes(name))
        Object.assign(input.data, { [name]: name === 'proxy' ? `http://${mark}` : mark })
    const marked = { ...input, name: mark, description: mark }
    const { template } = buildFiles(await partsOf(provider, marked), 'run1')
    expect(JSON.stringify(template)).not.toContain(mark)
  })
})
