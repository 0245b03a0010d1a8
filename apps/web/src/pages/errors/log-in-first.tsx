import { paths } from '../../paths'
import { ButtonLink } from '../../ui/button/link'

/** Replaces a page that is open to everyone but has content only for logged-in users. */
export default function LogInFirst() {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-2 p-6 text-center">
      <h1 className="text-title font-semibold">Log in to see your profile</h1>
      <p className="max-w-112 text-form text-ink-2">
        It shows your name, your roles and your recent activity.
      </p>
      <ButtonLink to={paths.login()} state={{ returnTo: paths.profile() }} variant="primary" className="mt-3">
        Log in
      </ButtonLink>
    </div>
  )
}
