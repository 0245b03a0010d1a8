import { settings, type SecurityChoices, type SecuritySettings } from '@flotilla/contract/site/settings'
import { ui } from '@flotilla/contract/site/ui'
import { useQueryClient } from '@tanstack/react-query'
import { apiKey, useApiMutation, useApiQuery } from '../../../api/query'
import { Async } from '../../../ui/feedback/async'
import { Callout } from '../../../ui/feedback/callout'
import { Card } from '../../../ui/layout/card'
import { RadioCards } from '../../../ui/form/radio-cards'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { Switch } from '../../../ui/form/switch'
import { RegistrationForm } from './registration-form'

const accessLabels = {
  immediately: 'Immediately',
  'after-approval': 'After approval',
  never: 'Never',
} as const

/** Security settings. The choices below the form are saved immediately. */
export function SecurityTab() {
  const security = useApiQuery(settings.security, {})
  return (
    <div className="flex max-w-[760px] flex-col gap-4">
      <RegistrationForm />
      <Async data={security} skeleton={<SkeletonText lines={10} />}>
        {(current) => <Choices current={current} />}
      </Async>
    </div>
  )
}

function Choices({ current }: { current: SecuritySettings }) {
  const client = useQueryClient()
  const save = useApiMutation(settings.setSecurity, {
    success: 'Security settings saved',
    invalidates: [ui.settings],
    // The cache is updated immediately, so that nothing flips back until the refetch completes.
    onSuccess: (reply) => client.setQueryData(apiKey(settings.security, {}), reply),
  })
  // The new choice is shown immediately; if saving fails, it is reverted.
  const shown = { ...current, ...(save.isPending && save.variables.body) }
  const choose = (body: Partial<SecurityChoices>) => save.mutate({ body })
  return (
    <>
      {save.error && (
        <Callout tone="red" title={save.error.message} alert>
          Your choice was not saved. Try again.
        </Callout>
      )}
      <Card
        title="Self-registered users on this machine"
        description="Choose when people who registered themselves can run jobs, open terminals and use files on This machine and on other clusters on the console’s own machine. Accounts that an admin created or approved always have access."
      >
        <RadioCards
          legend="When self-registered users get access"
          hideLegend
          name="selfRegisteredAccess"
          columns={1}
          value={shown.selfRegisteredAccess ?? 'default'}
          onChange={(value) => choose({ selfRegisteredAccess: value === 'default' ? null : value })}
          options={[
            {
              value: 'default',
              label: `Default (currently: ${accessLabels[current.selfRegisteredDefault].toLowerCase()})`,
              description:
                'Immediately while only this machine can connect to the server; after approval once it listens on another address or a reverse proxy is configured.',
            },
            {
              value: 'immediately',
              label: accessLabels.immediately,
              description: 'Anyone who can register can run programs on this machine.',
            },
            {
              value: 'after-approval',
              label: accessLabels['after-approval'],
              description: 'New accounts wait until an admin approves them under Users.',
            },
            {
              value: 'never',
              label: accessLabels.never,
              description:
                'New accounts get no access and are not listed as waiting. You can still approve someone under Users.',
            },
          ]}
        />
      </Card>
      <Card title="Network access for jobs">
        <Switch
          label="Let jobs connect to the console"
          hint="When off, jobs and terminals on this machine cannot connect to the console’s API, its database or cloud metadata addresses; without the program slirp4netns (see Doctor) they have no network at all. When on, new jobs and terminals use this machine’s own network."
          checked={shown.jobsReachConsole}
          onChange={(jobsReachConsole) => choose({ jobsReachConsole })}
        />
      </Card>
      <Card title="Head nodes of attached clusters">
        <Switch
          label="Let everyone attach head nodes at private addresses"
          hint="When off, only admins can attach a cluster whose head node has a loopback or private address, so that the console cannot be used to probe your internal network."
          checked={shown.privateHeadNodes}
          onChange={(privateHeadNodes) => choose({ privateHeadNodes })}
        />
      </Card>
    </>
  )
}
