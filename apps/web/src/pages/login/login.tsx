import { lazy, Suspense, type ComponentProps } from 'react'
import { useConfig } from '../../api/config'
import { GuestPage, GuestPageHeading } from '../../guest/guest-page'
import { paths, useIsTrainingLogin, usePathParam, useSearchParam, useSetSearch } from '../../paths'
import { LoadingScreen } from '../../shell/gates/loading-screen'
import { ExternalLink, TextLink } from '../../ui/button/link'
import { Tabs, type Tab } from '../../ui/layout/tabs'
import { LocalLogin } from './local-login'
import { useInvitation } from './use-invitation'

const LazyTrainingForm = lazy(() => import('./training-form'))
const BadInvitation = lazy(() => import('./bad-invitation'))

export default function LoginPage() {
  return useIsTrainingLogin() ? <TrainingLogin /> : <Login />
}

function TrainingLogin() {
  const { trainingMenuTitle } = useConfig()
  return (
    <GuestPage>
      <GuestPageHeading title={`${trainingMenuTitle} login`}>
        Join with the session code your instructor gave you.
      </GuestPageHeading>
      <TrainingForm />
      <p className="mt-5">
        <TextLink to={paths.login()}>Log in with an account instead</TextLink>
      </p>
    </GuestPage>
  )
}

function TrainingForm(props: ComponentProps<typeof LazyTrainingForm>) {
  return (
    <Suspense>
      <LazyTrainingForm {...props} />
    </Suspense>
  )
}

function Login() {
  const { trainingMenuTitle, features } = useConfig()
  const invitation = useInvitation(usePathParam('userKey'))
  const tab = useSearchParam('tab')
  const setSearch = useSetSearch()

  // The form takes the invited username as its initial value, so it waits for the response.
  if (invitation.state === 'loading') return <LoadingScreen message="Opening your invitation" />

  const localLogin = (who: string) => (
    <LocalLogin who={who} invitation={invitation.state === 'good' ? invitation : null} />
  )
  const tabs: [Tab, ...Tab[]] = [
    {
      id: 'admin',
      label: 'Admin',
      content: localLogin('For admins and everyone who runs clusters and jobs.'),
    },
    {
      id: 'instructor',
      label: 'Instructor',
      content: localLogin('For people who prepare and lead workshops.'),
    },
    ...(features.workshops
      ? [
          {
            id: 'training',
            label: trainingMenuTitle,
            content: <TrainingForm intro="For participants. You need a session code but no account." />,
          },
        ]
      : []),
  ]
  return (
    <GuestPage>
      {invitation.state === 'good' ? (
        <GuestPageHeading title={`Welcome, ${invitation.firstName}`}>
          You were invited as <span className="font-mono">{invitation.username}</span>. Log in with the
          password you were given.
        </GuestPageHeading>
      ) : (
        <GuestPageHeading title="Log in" />
      )}
      {invitation.state === 'bad' && (
        <Suspense>
          <BadInvitation message={invitation.message} />
        </Suspense>
      )}
      <Tabs
        label="Log in as"
        tabs={tabs}
        value={tab ?? 'admin'}
        onChange={(id) => setSearch({ tab: id === 'admin' ? undefined : id })}
      />
      <FormFooter />
    </GuestPage>
  )
}

/** A link to a free trial or a quick start, or nothing, as configured by the site's operator. */
function FormFooter() {
  const { freeTrialLink, quickStartLink } = useConfig().branding
  if (freeTrialLink) {
    return (
      <div className="mt-8 flex flex-wrap items-center justify-between gap-3 rounded-card border border-line-1 bg-surface-1 p-4">
        <p className="text-body text-ink-2">New here? Try it before you decide.</p>
        <ExternalLink href={freeTrialLink} className="font-medium">
          Start a free trial
        </ExternalLink>
      </div>
    )
  }
  if (!quickStartLink) return null
  return (
    <p className="mt-8 text-body text-ink-2">
      New here?{' '}
      <ExternalLink href={quickStartLink} className="underline">
        Read the quick-start guide
      </ExternalLink>
    </p>
  )
}
