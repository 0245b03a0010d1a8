/** Prints the querying account and the server's configuration, which every account may read. */
export const showServer = ['/bin/sh', '-c', 'id -un && exec qstat -B -f']

/** The maximum length of an account name that is shown; names from a directory may be long. */
const SHOWN_MAX = 256

/** By default Torque shows other users' jobs only to its operators and managers. */
export function hiddenReason(answer: string): string | null {
  const [account = '', ...lines] = answer.split('\n')
  // Long values continue on the next line after a tab.
  const server = lines.join('\n').replaceAll('\n\t', '')
  const value = (name: string) => new RegExp(`^ *${name} = (.*)$`, 'm').exec(server)?.[1] ?? ''
  const privileged = [value('managers'), value('operators')].join().split(',')
  const isOperator = privileged.some((one) => ['*', account].includes(one.trim().split('@', 1)[0] ?? ''))
  if (isOperator || /^true$/i.test(value('query_other_jobs').trim())) return null
  return `Torque shows ${account.slice(0, SHOWN_MAX)} only its own jobs. Instead, the console queries Torque as each user and shows them their own jobs, once they have tested or used their connection here. To show all jobs, a site admin can run: qmgr -c "set server query_other_jobs = True"`
}
