/**
 * What each page that is still to come will be, and what is possible until then, by its path in the route table.
 * Only admins have Settings for more than themselves.
 */
export const soonTexts: Record<string, { will: string; today: string; forAdmins?: string }> = {
  '/dashboard': {
    will: 'The load of every cluster and the health of this server, drawn live.',
    today: 'The navigation leads to everything that is here already.',
    forAdmins: 'People and site settings are under Settings.',
  },
  '/trainings': {
    will: 'Workshops: prepare one, hand out its session code and see who is in.',
    today: 'No workshop can be prepared yet.',
  },
  '/trainings/$id': {
    will: 'The control room of one workshop: its participants, their desktops and the time that is left.',
    today: 'No workshop can be prepared yet.',
  },
  '/apps': {
    will: 'Interactive programs such as a desktop, Jupyter or a code editor, started on a cluster and opened in the browser.',
    today: 'No app can be started yet.',
  },
  '/courses': {
    will: 'Courses: the material, image and cluster template that a workshop is made from.',
    today: 'No course can be written yet.',
  },
  '/account': {
    will: 'Core hours, node hours and cost in any range of time, by person and by cluster, to look at and to export.',
    today: 'Nothing is counted yet.',
    forAdmins: 'Who has an account is under Settings.',
  },
  '/account/$id': {
    will: 'What one account used and what it cost.',
    today: 'Nothing is counted yet.',
  },
  '/account-job/$useracount': {
    will: 'Every job of one account with what it used.',
    today: 'Nothing is counted yet.',
  },
  '/account-cluster/$idCluster': {
    will: 'Who used one cluster, when and how much.',
    today: 'Nothing is counted yet.',
  },
}
