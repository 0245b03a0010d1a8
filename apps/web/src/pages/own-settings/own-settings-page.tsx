import { Settings } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../../paths'
import { useIsAdmin } from '../../session/user'
import { ownTabs } from '../../settings-tabs'
import { ButtonLink } from '../../ui/button/link'
import { LinkTabs } from '../../ui/layout/link-tabs'
import { PageHeader } from '../../ui/layout/page-header'

/** The frame of the user's own settings, with all their tabs. */
export function OwnSettingsPage({ children }: { children: ReactNode }) {
  const isAdmin = useIsAdmin()
  return (
    <>
      <PageHeader
        title="Your settings"
        actions={
          isAdmin && (
            <ButtonLink to={paths.settings()} icon={Settings}>
              Site settings
            </ButtonLink>
          )
        }
      />
      <LinkTabs label="Your settings" tabs={ownTabs.map(({ to, label }) => ({ to, label, exact: true }))} />
      <div className="mt-5 max-w-[1120px]">{children}</div>
    </>
  )
}
