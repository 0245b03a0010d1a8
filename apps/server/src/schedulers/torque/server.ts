/** The account that asks, and how the server is set up, which every account may read. */
export const showServer = ['/bin/sh', '-c', 'id -un && exec qstat -B -f']

/** Of an account's name, as much as is shown: those of a directory may be long. */
const SHOWN_MAX = 256

/** By default Torque shows the jobs of others only to its operators and managers. */
export function hiddenReason(answer: string): string | null {
  const [account = '', ...lines] = answer.split('\n')
  // Long values go on in the next line, behind a tab.
  const server = lines.join('\n').replaceAll('\n\t', '')
  const value = (name: string) => new RegExp(`^ *${name} = (.*)$`, 'm').exec(server)?.[1] ?? ''
  const may = [value('managers'), value('operators')].join().split(',')
  const isOperator = may.some((one) => ['*', account].includes(one.trim().split('@', 1)[0] ?? ''))
  if (isOperator || /^true$/i.test(value('query_other_jobs').trim())) return null
  return `Torque shows ${account.slice(0, SHOWN_MAX)} only its own jobs. Instead, the console queries Torque as each user and shows them their own jobs, once they have tested or used their connection here. To show all jobs, a site admin can run: qmgr -c "set server query_other_jobs = True"`
}
