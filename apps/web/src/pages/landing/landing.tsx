import { ArrowRight } from 'lucide-react'
import { useConfig } from '../../api/config'
import { BrandMark } from '../../guest/brand'
import { Intro } from '../../guest/intro'
import { paths } from '../../paths'
import { ButtonLink, ExternalLink } from '../../ui/button/link'

export default function LandingPage() {
  const { branding, register, features, trainingMenuTitle, version } = useConfig()
  const guide = branding.freeTrialLink ?? branding.quickStartLink
  return (
    <div className="flex grow flex-col">
      <div className="mx-auto flex w-full max-w-[720px] grow flex-col justify-center gap-8 px-6 py-16">
        <div className="flex flex-col gap-4">
          <BrandMark className="size-12" />
          <h1 className="text-[32px] leading-[40px] font-semibold text-balance outline-none">
            {branding.name}
          </h1>
        </div>
        <div className="flex flex-wrap gap-3">
          <ButtonLink to={paths.login()} variant="primary" size="l" icon={ArrowRight}>
            Log in
          </ButtonLink>
          {register && (
            <ButtonLink to={paths.register()} size="l">
              Create an account
            </ButtonLink>
          )}
          {features.workshops && (
            <ButtonLink to={paths.trainingLogin()} variant="ghost" size="l">
              Join a {trainingMenuTitle}
            </ButtonLink>
          )}
        </div>
        <div className="border-t border-line-1 pt-6">
          <Intro />
        </div>
        {guide && (
          <p>
            <ExternalLink href={guide}>
              {branding.freeTrialLink ? 'Start a free trial' : 'Read the quick-start guide'}
            </ExternalLink>
          </p>
        )}
      </div>
      <div className="mx-auto flex w-full max-w-[720px] flex-wrap justify-between gap-x-6 gap-y-1 px-6 pb-8 text-label text-ink-3">
        <p>© {branding.copyright}</p>
        <p>Version {version}</p>
      </div>
    </div>
  )
}
