// Runs before the first paint: sets the theme, so that the page never flashes the wrong one, and starts the requests
// the page waits for while the rest is still loading. A separate file, because the content security policy allows no
// inline script.
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

  // A browser that changes networks aborts what it loads, and without these files there is no page.
  const loadAgain = ({ target }) => {
    const isStyle = target instanceof HTMLLinkElement && target.rel === 'stylesheet'
    if (!isStyle && !(target instanceof HTMLScriptElement)) return
    const again = document.createElement(target.localName)
    for (const { name, value } of target.attributes) again.setAttribute(name, value)
    setTimeout(() => target.replaceWith(again), 1000)
  }
  addEventListener('error', loadAgain, true)

  // A guest's page is in the entry chunk; a logged-in user needs more.
  const { licenseDelay, licensePath, member } = document.currentScript.dataset
  for (const chunk of stored('token') ? member.split(' ').filter(Boolean) : []) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.crossOrigin = ''
    link.href = chunk
    document.head.append(link)
  }

  // The page handles failures once it runs; until then, they must not count as unhandled.
  const started = (request) => {
    request.catch(() => {})
    return request
  }
  // The license delay counts from the start of the visit, not from when this file arrived.
  const fetchLicense = () => fetch(licensePath)
  const wait = Math.max(0, Number(licenseDelay) - performance.now())
  const license = started(new Promise((resolve) => setTimeout(resolve, wait)).then(fetchLicense))
  window.__boot = { config: started(fetch('/assets/config.json')), license, fetchLicense }
})()
