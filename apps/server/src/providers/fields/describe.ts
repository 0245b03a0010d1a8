import type { DiskType, Field, Refusal } from '@flotilla/contract/clouds/providers'

/** What a field is wherever it is used. */
export type Definition = Omit<Field, 'path'> & {
  /** Not every provider has it: why the others refuse it. */
  elsewhere?: string
  /** Not every provider uses it, and the others keep it without a word: what for. */
  kept?: string
}

export const choicesOf = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

/** Disk types are the choices of every field that chooses one. */
export const choicesOfDisks = (types: DiskType[]) => types.map(({ id, label }) => ({ value: id, label }))

/** What a provider says of a field: how it differs, or why it is refused. */
export type Differs<Path extends string> = Partial<Record<Path, Partial<Definition> | { refuse: string }>>

/**
 * The fields of one provider, in the order of the definitions. A common field is included unless the provider refuses
 * it; a special one only if the provider names it.
 */
export function describe<Path extends string>(
  definitions: Record<Path, Definition>,
  differs: Differs<Path>,
): { fields: Field[]; refusals: Refusal[] } {
  const fields: Field[] = []
  const refusals: Refusal[] = []
  const listed: Partial<Definition>[] = Object.values(differs)
  const others = new Set(listed.map(({ or }) => or))
  // The keys of a record are typed as text.
  for (const path of Object.keys(definitions) as Path[]) {
    const { elsewhere, kept, ...field } = definitions[path]
    const own = differs[path]
    if (others.has(path)) continue
    if (own && 'refuse' in own) refusals.push({ path, reason: own.refuse })
    else if (own || (elsewhere === undefined && kept === undefined)) fields.push({ ...field, path, ...own })
    else if (elsewhere !== undefined) refusals.push({ path, reason: elsewhere })
  }
  return { fields, refusals }
}
