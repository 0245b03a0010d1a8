/**
 * Compares a version such as 1.6.6; a version that is not a number belongs to a simulated engine, which supports
 * everything.
 */
export function isAtLeast(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number)
  return Number.isNaN(first) || first > major || (first === major && second >= minor)
}
