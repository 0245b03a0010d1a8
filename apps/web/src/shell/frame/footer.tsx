import { useConfig } from '../../api/config'

const year = new Date().getFullYear()

export function Footer() {
  const { copyright, contactLink } = useConfig().branding
  return (
    <footer className="print:hidden flex flex-wrap justify-between gap-x-6 gap-y-1 border-t border-line-1 px-4 py-3 text-label text-ink-3 md:px-6">
      <span>
        © {year} {copyright}
      </span>
      <a href={contactLink} className="rounded-mark underline-offset-2 hover:underline">
        Contact
      </a>
    </footer>
  )
}
