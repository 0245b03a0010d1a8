import type { DiskType, Field, Refusal } from '@flotilla/contract/clouds/providers'

/** The properties of a field that all providers share. */
export type Definition = Omit<Field, 'path'> & {
  /** Set if not every provider has the field: the reason that the others give for not supporting it. */
  elsewhere?: string
  /** Set if not every provider uses the field, but the others accept and store it: what it is for. */
  kept?: string
}

export const choicesOf = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

/** The choices of every field for a disk type. */
export const choicesOfDisks = (types: DiskType[]) => types.map(({ id, label }) => ({ value: id, label }))

/** How a provider's field differs from the definition, or why the provider does not support it. */
export type Differs<Path extends string> = Partial<Record<Path, Partial<Definition> | { refuse: string }>>

/**
 * The fields of one provider, in the order of the definitions. A common field is included unless the provider rejects
 * it; a special one only if the provider lists it.
 */
export function describe<Path extends string>(
  definitions: Record<Path, Definition>,
  differs: Differs<Path>,
): { fields: Field[]; refusals: Refusal[] } {
  const fields: Field[] = []
  const refusals: Refusal[] = []
  const listed: Partial<Definition>[] = Object.values(differs)
  const others = new Set(listed.map(({ or }) => or))
  // Border: Object.keys is typed as string[].
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
