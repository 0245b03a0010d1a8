/** A time as a browser's date and time field takes it. */
export const toLocal = (at: number): string => {
  const east = -new Date(at).getTimezoneOffset()
  return new Date(at + east * 60_000).toISOString().slice(0, 16)
}
