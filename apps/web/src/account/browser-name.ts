/** The order matters: most user agents also contain the names of browsers further down. */
const browsers: readonly [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//],
]
const systems: readonly [name: string, mark: RegExp][] = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
]

/** A readable name for a user agent; anything else, such as a script, is shown unchanged. */
export function browserName(sent: string): string {
  for (const [name, mark] of browsers) {
    const version = mark.exec(sent)?.[1]
    if (version === undefined) continue
    const system = systems.find(([, on]) => on.test(sent))?.[0]
    return system ? `${name} ${version} on ${system}` : `${name} ${version}`
  }
  return sent || 'Unknown'
}
