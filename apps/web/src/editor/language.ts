/** The languages that are highlighted; everything else is plain text. */
export type Language = 'shell' | 'python' | 'yaml' | 'json' | 'c' | 'fortran' | 'r' | 'julia'

const byEnding: Record<string, Language> = {
  sh: 'shell',
  bash: 'shell',
  slurm: 'shell',
  sbatch: 'shell',
  pbs: 'shell',
  py: 'python',
  yaml: 'yaml',
  yml: 'yaml',
  json: 'json',
  js: 'json',
  c: 'c',
  h: 'c',
  cc: 'c',
  cpp: 'c',
  hpp: 'c',
  cu: 'c',
  f: 'fortran',
  f90: 'fortran',
  for: 'fortran',
  r: 'r',
  jl: 'julia',
}
const byName: Record<string, Language> = { '.bashrc': 'shell', '.profile': 'shell', '.bash_profile': 'shell' }
const byInterpreter: [RegExp, Language][] = [
  [/python/, 'python'],
  [/\b(ba|da|z|k)?sh\b/, 'shell'],
  [/\bRscript\b/, 'r'],
  [/\bjulia\b/, 'julia'],
]

/** The language of a file, by its name or by a first line such as #!/usr/bin/env python3. */
export function languageOf(name: string, text = ''): Language | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const known = byName[name] ?? byEnding[ending]
  if (known) return known
  const [first = ''] = text.split('\n', 1)
  return first.startsWith('#!') ? byInterpreter.find(([pattern]) => pattern.test(first))?.[1] : undefined
}
