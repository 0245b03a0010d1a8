import { mayAccess } from '@flotilla/contract/access'
import { type Appearance, ui } from '@flotilla/contract/site/ui'
import { useApiMutation } from '../api/query'
import { useUser } from '../session/user'
import { appearance, applyPreferences } from './theme'

/** Applies immediately, and is saved for other browsers if the user has an account. */
export function useSetTheme(): (theme: Appearance['theme']) => void {
  const { role } = useUser()
  const save = useApiMutation(ui.setPreferences, { invalidates: [ui.settings] })
  return (theme) => {
    applyPreferences({ ...appearance.get(), theme })
    if (mayAccess('member', role)) save.mutate({ body: { preferences: { theme } } })
  }
}
