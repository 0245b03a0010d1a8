/** A time in the format of a `datetime-local` field. */
export const toLocal = (at: number): string => {
  const east = -new Date(at).getTimezoneOffset()
  return new Date(at + east * 60_000).toISOString().slice(0, 16)
}
