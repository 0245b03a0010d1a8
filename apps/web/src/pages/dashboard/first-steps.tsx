import type { FirstStep } from '@flotilla/contract/clusters/dashboard'
import { paths } from '../../paths'
import { Card } from '../../ui/layout/card'
import { StepList } from '../../ui/layout/step-list'
import { ButtonLink } from '../../ui/button/link'

const texts: Record<FirstStep['step'], { title: string; text: string; action: string; to: string }> = {
  job: {
    title: 'Submit a first job',
    text: 'This machine is already a small cluster. Watch a job’s output appear in the browser.',
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
    text: 'Enter a mail server so that people can recover passwords and confirm their addresses. Until then, mail is written to files.',
    action: 'Mail',
    to: paths.settings('mail'),
  },
}

/** The first steps on a new installation. Each is marked as done automatically. */
export function FirstSteps({ steps }: { steps: readonly FirstStep[] }) {
  const done = steps.filter((one) => one.done).length
  return (
    <Card title="Get started" description={`${done} of ${steps.length} steps done`} flush>
      <StepList
        steps={steps.map(({ step, done: isDone }) => {
          const { title, text, action, to } = texts[step]
          return {
            key: step,
            title,
            text,
            done: isDone,
            action: (
              <ButtonLink to={to} {...(step === 'cluster' && { search: { new: '1' } })}>
                {action}
              </ButtonLink>
            ),
          }
        })}
      />
    </Card>
  )
}
