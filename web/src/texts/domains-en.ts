/** Texts of the pages about branded domains. Apart, so that other pages do not load them. */
export const domainsEn = {
  add: 'Add a domain',
  domain: 'Domain',
  domainHint: 'A name that you own and use for short links only, such as go.example.com.',
  groups: 'Groups that may use it',
  none: 'No branded domains yet',
  noneHint:
    'People trust short links on a name they know, and remember them. Add your domain: this page tells you what to set in DNS, checks it, and ends with a link that works.',
  usual: (domain: string) => `New links are on ${domain} unless you choose another domain.`,
  usedBy: (count: number): string => {
    if (count === 0) return 'No group may use it yet'
    return count === 1 ? 'Used by one group' : `Used by ${count} groups`
  },
  states: {
    loading: 'Checking …',
    waiting: 'Waiting for DNS',
    unknown: 'Service not public yet',
    https: 'HTTPS missing',
    works: 'Works',
  },
  open: 'Settings',
  continue: 'Continue the set-up',
  actions: (domain: string) => `Actions for ${domain}`,
  showLinks: 'Show its links',
  rootShown: (url: string) => `root leads to ${url}`,
  notFoundShown: (url: string) => `unknown links lead to ${url}`,
  removeTitle: (domain: string) => `Remove ${domain}?`,
  removeHint: 'Its short links lead nowhere until you add it again. Links and numbers are kept.',
  missing: 'There is no such domain',
  missingHint: 'It was removed, or belongs to another organization.',
  allDomains: 'All domains',

  steps: 'Set-up',
  stepStates: { done: 'Done', now: 'Now', later: 'Later', optional: 'Optional' },
  next: 'Next:',
  nextSteps: {
    groups: 'choose the groups that may use the domain.',
    dns: (count: number): string =>
      count === 1
        ? 'set one record where the DNS of the domain is managed. This page sees it by itself.'
        : `set ${count} records where the DNS of the domain is managed. This page sees them by itself.`,
    unknown: 'the operator of this service makes it public.',
    https: 'the web server of this service needs a certificate for the domain.',
    pages: '',
    test: 'make a link, open it, and see it counted.',
  },
  allDone: (domain: string) => `${domain} is ready for your links.`,
  create: 'Create a link',

  groupsStep: {
    title: 'Domain and groups',
    done: (groups: string) => `Used by ${groups}`,
    none: 'Nobody can create links on this domain yet. Choose at least one group.',
    change: 'Save groups',
  },
  dnsStep: {
    title: 'DNS records',
    done: 'The domain points to this service.',
    how: [
      'Sign in where the DNS of the domain is managed, usually where it is registered, and open its DNS records.',
      'Add the records below. Some providers want only the part of the name before the domain, or @ for the domain itself.',
      'Then wait: most changes are seen within minutes, some after a day. You may close this page.',
    ],
    type: 'Type',
    name: 'Name',
    expected: 'Expected value',
    found: 'Found now',
    foundNothing: 'nothing yet',
    foundSame: 'as expected',
    foundUnknown: 'not known',
    remove: 'Remove this record:',
    copyValue: (value: string) => `Copy ${value}`,
    checked: (age: string) => `Checked ${age}`,
    checking: 'Checking …',
    check: 'Check now',
    everySeconds: (seconds: number) => `again every ${seconds} seconds`,
    usableBefore: 'You can create links already. They work for visitors once the records are set.',
    problems: {
      no_records: 'There is no record for the domain yet. Add what is listed here.',
      points_elsewhere:
        'The domain points to another server. Add what is listed here, and remove the records that are marked.',
      no_answer:
        'The name servers of the domain do not answer at the moment, so nothing can be said about it. It is tried again; if this lasts, ask the provider of its DNS.',
      not_proven: 'One record is missing that proves that the domain is yours. Add the TXT record.',
      contested:
        'Another organization on this service claims the same domain. Add the TXT record: it proves that the domain is yours.',
      targets_unknown: '',
    },
  },
  operator: {
    what: 'This service is only known by an address of its own machine or network, so it cannot say which records to set. Only the person who runs it can change that, with one of these options:',
    baseUrl: 'if it has a public URL',
    targets: 'if you know only its public IP address or host name',
    after: 'After a restart this page shows the records.',
    tryIt:
      'To try the domain on this machine until then, add this line to its hosts file (/etc/hosts; on Windows C:\\Windows\\System32\\drivers\\etc\\hosts):',
  },
  httpsStep: {
    title: 'HTTPS',
    later: 'Checked once the domain points here.',
    done: (issuer: string, until: string) => `Certificate of ${issuer}, valid until ${until}.`,
    expiring: (issuer: string, until: string) =>
      `The certificate of ${issuer} ends on ${until} and was not renewed yet. Ask the operator to look at the web server in front of this service.`,
    checking: 'The certificate is being read …',
    notChecked: 'The domain leads to an address that is not public, so HTTPS is not checked.',
    optional: 'Short links of this service begin with http://, so they work without HTTPS.',
    needs:
      'The operator of this service does this: the web server in front of it needs a certificate for the domain. The Caddy configuration in deploy/ gets one by itself within a minute; with another web server, the operator adds the domain and its certificate there.',
    problems: {
      expired: (until: string) => `The certificate expired on ${until}. It must be renewed.`,
      not_yet_valid: 'The certificate is not valid yet. Compare the clocks of the servers.',
      other_name: 'The certificate is for another name. One for this domain is needed.',
      self_signed: 'The certificate is self-signed, so browsers warn visitors. One of a public authority is needed.',
      unknown_issuer:
        'Browsers do not know who issued the certificate, or the server does not send the intermediate certificate.',
      other: 'Browsers do not trust the certificate.',
      no_address: 'The domain has no address in DNS. Look at step 2.',
      not_public: '',
      refused: 'Nothing listens for HTTPS at the address of the domain: connections to port 443 are refused.',
      timeout: 'Nothing answers HTTPS at the address of the domain. A firewall may block port 443.',
      not_tls: 'The server of the domain does not speak HTTPS on port 443.',
      no_certificate: 'The web server has no certificate for the domain yet.',
    },
  },
  pagesStep: {
    title: 'Root page and not-found page',
    hint: 'People also type the bare domain, or mistype a link. Say where they go; otherwise they see a plain page of this service.',
    rootUrl: 'Where the bare domain leads',
    notFoundUrl: 'Where unknown links lead',
    urlHint: 'An http or https URL. Empty for our own page.',
    none: 'Visitors see a plain page of this service.',
  },
  testStep: {
    title: 'Test link',
    hint: 'One click makes a link on your domain. Open it: when your visit arrives here, everything works.',
    make: 'Make a test link',
    open: 'Open it',
    waiting: 'Waiting for your visit …',
    visited: 'It works: your visit arrived and was counted.',
    notArrived:
      'If the page does not open, your browser or network may still remember the old DNS answer. Try again in some minutes, or from a phone without Wi-Fi.',
    leadsTo: (url: string) => `leads to ${url}`,
    statistics: 'Show the link',
    hasLinks: 'There are links on this domain.',
    dnsFirst: 'Possible once the domain points here (step 2).',
    groupFirst: (group: string) => `${group} may not use the domain yet (step 1).`,
  },
}
