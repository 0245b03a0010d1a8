/**
 * What each coming page will do, and what is possible until then, by its path in the route table. Only admins have site
 * settings.
 */
export const comingSoonTexts: Record<string, { will: string; today: string; forAdmins?: string }> = {
  '/dashboard': {
    will: 'A live view of every cluster’s load and this server’s health.',
    today: 'Until then, use the navigation to reach everything else.',
    forAdmins: 'Manage people and the site in Settings.',
  },
  '/trainings': {
    will: 'Prepare workshops, share their session codes and see who has joined.',
    today: 'You cannot create workshops yet.',
  },
  '/trainings/$id': {
    will: 'An overview of one workshop: its participants, their desktops and the time remaining.',
    today: 'You cannot create workshops yet.',
  },
  '/apps': {
    will: 'Interactive apps, such as a desktop, Jupyter or a code editor, that run on a cluster and open in the browser.',
    today: 'You cannot start apps yet.',
  },
  '/courses': {
    will: 'Courses with the material, image and cluster template for a workshop.',
    today: 'You cannot create courses yet.',
  },
}
