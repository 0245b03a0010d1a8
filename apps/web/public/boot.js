// Runs before anything is painted: sets the theme, so that nobody is dazzled, and starts what the page waits for while
// the rest is still on its way. A file of its own, because the content security policy allows no script in the page.
;(() => {
  const stored = (name) => {
    try {
      return localStorage.getItem(`flotilla.${name}`)
    } catch {
      return null
    }
  }
  const theme = stored('theme')
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  const { dataset } = document.documentElement
  dataset.theme = dark ? 'dark' : 'light'
  if (stored('palette') === 'safe') dataset.palette = 'safe'

  // A visitor's page is in the entry; whoever is logged in needs more.
  const { licenseDelay, member } = document.currentScript.dataset
  for (const chunk of stored('token') ? member.split(' ').filter(Boolean) : []) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.crossOrigin = ''
    link.href = chunk
    document.head.append(link)
  }

  // The page looks at failures when it is there; until then they are nobody's.
  const started = (request) => {
    request.catch(() => {})
    return request
  }
  // The license's delay counts from the start of the visit, not from when this file arrived.
  const fetchLicense = () => fetch('/api/license')
  const wait = Math.max(0, Number(licenseDelay) - performance.now())
  const license = started(new Promise((resolve) => setTimeout(resolve, wait)).then(fetchLicense))
  window.__boot = { config: started(fetch('/assets/config.json')), license, fetchLicense }
})()
