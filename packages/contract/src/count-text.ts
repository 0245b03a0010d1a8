const number = new Intl.NumberFormat()
// The product's texts have no serial comma. Of the English locales, en-GB omits it.
const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })
const all = new Intl.ListFormat('en-GB')

/** A number and what it counts: '1 node', '12 nodes'. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : many}`

/** 'stopped', 'planned or stopped', 'planned, stopped or failed' */
export const eitherText = (choices: readonly string[]): string => either.format(choices)

/** 'scratch', 'scratch and home', 'scratch, home and data' */
export const listText = (items: readonly string[]): string => all.format(items)

/** '8 cores', '1 core and 2 GPUs': GPUs are mentioned only if there are any. */
export const coresText = ({ cores, gpus }: { cores: number; gpus: number }): string =>
  gpus > 0 ? `${countText(cores, 'core')} and ${countText(gpus, 'GPU')}` : countText(cores, 'core')
