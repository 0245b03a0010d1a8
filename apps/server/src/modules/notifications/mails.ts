import { countText } from '@flotilla/contract/count-text'
import type { Mail } from '../../mail/mail'
import type { EndedJob } from './store'

/** Longer lists are not read by anyone. */
const LINES_MAX = 50

const outcome = ({ state, reason }: EndedJob): string => (reason ? `${state}: ${reason}` : state)

function subject(jobs: EndedJob[]): string {
  const [first] = jobs
  if (first && jobs.length === 1) return `${first.job_name} ${first.state} on ${first.cluster_name}`
  const failed = jobs.filter(({ state }) => state !== 'completed').length
  return `${countText(jobs.length, 'job')} ended${failed > 0 ? `, ${failed} failed` : ''}`
}

/** One email about all jobs that ended since the last one, newest first. */
export const endedMail = (
  person: { username: string; email: string },
  jobs: EndedJob[],
  site: string,
): Mail => ({
  to: person.email,
  subject: subject(jobs),
  text: `Hello ${person.username},

${jobs.length === 1 ? 'This job has' : 'These jobs have'} ended:

${jobs
  .slice(0, LINES_MAX)
  .map(
    (job) => `- ${job.job_name} on ${job.cluster_name}, ${outcome(job)}
  ${site}/jobs/${job.job_id}?submission=${job.id}`,
  )
  .join('\n')}
${jobs.length > LINES_MAX ? `- and ${jobs.length - LINES_MAX} more\n` : ''}
Change your notification settings: ${site}/settings_user/notifications
`,
})
