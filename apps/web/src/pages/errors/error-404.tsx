import { useSearchParam, paths } from '../../paths'
import { ButtonLink } from '../../ui/button/link'

export default function Error404() {
  const from = useSearchParam('from')
  return (
    <div className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-2 p-6 text-center">
      <p className="text-label text-ink-3">404</p>
      <h1 className="text-title font-semibold">Page not found</h1>
      <p className="max-w-112 text-form wrap-anywhere text-ink-2">
        {from ? (
          <>
            There is nothing at <span className="font-mono">{from}</span>. The link may be outdated or
            mistyped.
          </>
        ) : (
          'The link may be outdated or mistyped.'
        )}
      </p>
      <ButtonLink to={paths.root()} variant="primary" className="mt-3">
        Go to the start page
      </ButtonLink>
    </div>
  )
}
