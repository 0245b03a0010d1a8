import type { FirstStep } from '@flotilla/contract/clusters/dashboard'
import { Circle, CircleCheck } from 'lucide-react'
import { paths } from '../../paths'
import { Card } from '../../ui/layout/card'
import { cx } from '../../ui/text/cx'
import { Glyph } from '../../ui/status/icon'
import { ButtonLink } from '../../ui/button/link'

const texts: Record<FirstStep['step'], { title: string; text: string; action: string; to: string }> = {
  job: {
    title: 'Submit a first job',
    text: 'This machine is a small cluster already. See a job’s output grow in the browser.',
    action: 'New job',
    to: paths.newJob(),
  },
  cluster: {
    title: 'Add a head node or a cloud credential',
    text: 'Attach a cluster that runs Slurm or Torque, or create one in a cloud.',
    action: 'New cluster',
    to: paths.clusters(),
  },
  people: {
    title: 'Invite people',
    text: 'Create accounts and send an invitation link, or let people register.',
    action: 'Users',
    to: paths.settings(),
  },
  mail: {
    title: 'Set up mail',
    text: 'Enter a mail server so that people can recover passwords and confirm their address. Until then, mail is written to files.',
    action: 'Mail',
    to: paths.settings('mail'),
  },
}

/** For a new installation: steps check themselves off. */
export function FirstSteps({ steps }: { steps: readonly FirstStep[] }) {
  const done = steps.filter((one) => one.done).length
  return (
    <Card title="Get started" description={`${done} of ${steps.length} steps done`} flush>
      <ol className="divide-y divide-line-1 border-t border-line-1">
        {steps.map(({ step, done: isDone }) => {
          const { title, text, action, to } = texts[step]
          return (
            <li key={step} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <Glyph
                icon={isDone ? CircleCheck : Circle}
                className={isDone ? 'shrink-0 text-green' : 'shrink-0 text-ink-3'}
              />
              <div className="min-w-0 flex-1 basis-60">
                <p className={cx('text-body font-medium', isDone && 'text-ink-3')}>
                  {title}
                  {isDone && <span className="sr-only"> (done)</span>}
                </p>
                {!isDone && <p className="text-body text-ink-2">{text}</p>}
              </div>
              {!isDone && (
                <ButtonLink to={to} {...(step === 'cluster' && { search: { new: '1' } })}>
                  {action}
                </ButtonLink>
              )}
            </li>
          )
        })}
      </ol>
    </Card>
  )
}
