const number = new Intl.NumberFormat()
/** Without a comma before the last one, as in all texts. */
const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** '1 node', '12 nodes': a number and what it counts. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : many}`

/** 'stopped', 'planned or stopped', 'planned, stopped or failed' */
export const eitherText = (choices: readonly string[]): string => either.format(choices)

/** '8 cores', '1 core and 2 GPUs': GPUs only where there are some. */
export const coresText = ({ cores, gpus }: { cores: number; gpus: number }): string =>
  gpus > 0 ? `${countText(cores, 'core')} and ${countText(gpus, 'GPU')}` : countText(cores, 'core')
