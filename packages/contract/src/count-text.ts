const number = new Intl.NumberFormat()
/** British English has no comma before the last item, like all texts of the product. */
const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** A number and what it counts: '1 node', '12 nodes'. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : many}`

/** 'stopped', 'planned or stopped', 'planned, stopped or failed' */
export const eitherText = (choices: readonly string[]): string => either.format(choices)

/** '8 cores', '1 core and 2 GPUs': GPUs are mentioned only if there are any. */
export const coresText = ({ cores, gpus }: { cores: number; gpus: number }): string =>
  gpus > 0 ? `${countText(cores, 'core')} and ${countText(gpus, 'GPU')}` : countText(cores, 'core')
