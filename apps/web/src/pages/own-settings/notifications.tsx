import {
  notifications,
  type JobMail,
  type Notifications as Current,
} from '@flotilla/contract/site/notifications'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../api/query'
import { paths } from '../../paths'
import { TextLink } from '../../ui/button/link'
import { Async } from '../../ui/feedback/async'
import { Callout } from '../../ui/feedback/callout'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { RadioCards } from '../../ui/form/radio-cards'
import { Card } from '../../ui/layout/card'
import { SaveStatus } from './save-status'

/** Email notification settings. */
export function Notifications() {
  const current = useApiQuery(notifications.view, {})
  return (
    <Card
      title="Notifications"
      description={
        current.data
          ? `Sent to ${current.data.email}. Jobs that end within the same minute share an email.`
          : 'Sent by email.'
      }
    >
      <Async data={current} skeleton={<SkeletonText lines={4} />}>
        {(found) => <Choices current={found} />}
      </Async>
    </Card>
  )
}

function Choices({ current }: { current: Current }) {
  const save = useApiMutation(notifications.set, { invalidates: [notifications.view] })
  const [chosen, setChosen] = useState(current.jobs)
  // The choice is shown immediately, and reverted if saving it fails.
  const choose = (jobs: JobMail) => {
    setChosen(jobs)
    save.mutate({ body: { jobs } }, { onError: () => setChosen(chosen) })
  }
  return (
    <div className="flex flex-col gap-4">
      {!current.verified && (
        <Callout tone="amber" title="Your email address is not confirmed">
          Nothing is sent to it until then. See your <TextLink to={paths.profile()}>profile</TextLink>.
        </Callout>
      )}
      {!current.delivered && (
        <Callout tone="gray" title="This site has no mail server yet">
          Emails are written to files on the server until an admin sets one up.
        </Callout>
      )}
      <RadioCards<JobMail>
        legend="When your jobs end"
        name="jobs"
        columns={3}
        value={chosen}
        onChange={choose}
        options={[
          { value: 'never', label: 'No email', description: 'Check the Job Manager instead.' },
          {
            value: 'failed',
            label: 'When they fail',
            description: 'Also when they time out or are lost.',
          },
          { value: 'always', label: 'Always', description: 'Except when they are canceled.' },
        ]}
      />
      <SaveStatus save={save} />
    </div>
  )
}
