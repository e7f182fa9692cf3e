import type { DomainTexts } from './domains.js'

export const domainsDe: DomainTexts = {
  add: 'Domain hinzufügen',
  domain: 'Domain',
  domainHint: 'Ein Name, der dir gehört und nur für kurze Links dient, etwa go.example.com.',
  groups: 'Gruppen, die sie benutzen dürfen',
  none: 'Noch keine eigenen Domains',
  noneHint:
    'Kurzen Links unter einem bekannten Namen vertraut man, und man merkt sie sich. Füge deine Domain hinzu: Diese Seite sagt, was im DNS zu setzen ist, prüft es, und am Ende steht ein Link, der funktioniert.',
  usual: (domain) => `Neue Links liegen auf ${domain}, wenn du keine andere Domain wählst.`,
  usedBy: (count) => {
    if (count === 0) return 'Noch darf keine Gruppe sie benutzen'
    return count === 1 ? 'Von einer Gruppe benutzt' : `Von ${count} Gruppen benutzt`
  },
  states: {
    loading: 'Wird geprüft …',
    waiting: 'Wartet auf DNS',
    unknown: 'Dienst noch nicht öffentlich',
    https: 'HTTPS fehlt',
    works: 'Funktioniert',
  },
  open: 'Einstellungen',
  continue: 'Weiter einrichten',
  actions: (domain) => `Aktionen für ${domain}`,
  showLinks: 'Links zeigen',
  rootShown: (url) => `Startseite führt zu ${url}`,
  notFoundShown: (url) => `unbekannte Links führen zu ${url}`,
  removeTitle: (domain) => `${domain} entfernen?`,
  removeHint: 'Ihre kurzen Links führen ins Leere, bis du sie wieder hinzufügst. Links und Zahlen bleiben.',
  missing: 'Diese Domain gibt es nicht',
  missingHint: 'Sie wurde entfernt oder gehört einer anderen Organisation.',
  allDomains: 'Alle Domains',

  steps: 'Einrichtung',
  stepStates: { done: 'Erledigt', now: 'Jetzt', later: 'Später', optional: 'Freiwillig' },
  next: 'Als Nächstes:',
  nextSteps: {
    groups: 'Wähle die Gruppen, die die Domain benutzen dürfen.',
    dns: (count) =>
      count === 1
        ? 'Setze einen Eintrag dort, wo das DNS der Domain verwaltet wird. Diese Seite bemerkt ihn von selbst.'
        : `Setze ${count} Einträge dort, wo das DNS der Domain verwaltet wird. Diese Seite bemerkt sie von selbst.`,
    unknown: 'Der Betreiber macht diesen Dienst öffentlich erreichbar.',
    https: 'Der Webserver dieses Dienstes braucht ein Zertifikat für die Domain.',
    pages: '',
    test: 'Lege einen Link an, öffne ihn und sieh, dass er gezählt wird.',
  },
  allDone: (domain) => `${domain} ist bereit für deine Links.`,
  create: 'Link anlegen',

  groupsStep: {
    title: 'Domain und Gruppen',
    done: (groups) => `Benutzt von ${groups}`,
    none: 'Noch kann niemand Links auf dieser Domain anlegen. Wähle mindestens eine Gruppe.',
    change: 'Gruppen speichern',
  },
  dnsStep: {
    title: 'DNS-Einträge',
    done: 'Die Domain zeigt auf diesen Dienst.',
    how: [
      'Melde dich dort an, wo das DNS der Domain verwaltet wird, meist wo sie registriert ist, und öffne ihre DNS-Einträge.',
      'Füge die Einträge unten hinzu. Manche Anbieter wollen nur den Teil des Namens vor der Domain, oder @ für die Domain selbst.',
      'Dann warte: Die meisten Änderungen sind nach Minuten zu sehen, manche nach einem Tag. Du kannst diese Seite schließen.',
    ],
    type: 'Typ',
    name: 'Name',
    expected: 'Erwarteter Wert',
    found: 'Jetzt gefunden',
    foundNothing: 'noch nichts',
    foundSame: 'wie erwartet',
    foundUnknown: 'nicht bekannt',
    remove: 'Diesen Eintrag entfernen:',
    copyValue: (value) => `${value} kopieren`,
    checked: (age) => `Geprüft ${age}`,
    checking: 'Wird geprüft …',
    check: 'Jetzt prüfen',
    everySeconds: (seconds) => `alle ${seconds} Sekunden erneut`,
    usableBefore: 'Du kannst schon Links anlegen. Für Besucher funktionieren sie, sobald die Einträge gesetzt sind.',
    problems: {
      no_records: 'Für die Domain gibt es noch keinen Eintrag. Füge hinzu, was hier steht.',
      points_elsewhere:
        'Die Domain zeigt auf einen anderen Server. Füge hinzu, was hier steht, und entferne die markierten Einträge.',
      no_answer:
        'Die Nameserver der Domain antworten gerade nicht, daher lässt sich nichts über sie sagen. Es wird wieder versucht; wenn es so bleibt, frage den Anbieter ihres DNS.',
      not_proven: 'Es fehlt ein Eintrag, der beweist, dass die Domain dir gehört. Füge den TXT-Eintrag hinzu.',
      contested:
        'Eine andere Organisation auf diesem Dienst beansprucht dieselbe Domain. Füge den TXT-Eintrag hinzu: Er beweist, dass sie dir gehört.',
      targets_unknown: '',
    },
  },
  operator: {
    what: 'Von diesem Dienst ist nur eine Adresse seines eigenen Rechners oder Netzes bekannt, daher kann er nicht sagen, welche Einträge zu setzen sind. Das ändern kann nur, wer ihn betreibt, mit einer dieser Optionen:',
    baseUrl: 'wenn er eine öffentliche URL hat',
    targets: 'wenn nur seine öffentliche IP-Adresse oder sein Hostname bekannt ist',
    after: 'Nach einem Neustart zeigt diese Seite die Einträge.',
    tryIt:
      'Um die Domain bis dahin auf diesem Rechner auszuprobieren, füge diese Zeile in seine hosts-Datei ein (/etc/hosts; unter Windows C:\\Windows\\System32\\drivers\\etc\\hosts):',
  },
  httpsStep: {
    title: 'HTTPS',
    later: 'Wird geprüft, sobald die Domain hierher zeigt.',
    done: (issuer, until) => `Zertifikat von ${issuer}, gültig bis ${until}.`,
    expiring: (issuer, until) =>
      `Das Zertifikat von ${issuer} endet am ${until} und wurde noch nicht erneuert. Bitte den Betreiber, nach dem Webserver vor diesem Dienst zu sehen.`,
    checking: 'Das Zertifikat wird gelesen …',
    notChecked: 'Die Domain führt zu einer Adresse, die nicht öffentlich ist; daher wird HTTPS nicht geprüft.',
    optional: 'Die kurzen Links dieses Dienstes beginnen mit http://, funktionieren also ohne HTTPS.',
    needs:
      'Das macht der Betreiber dieses Dienstes: Der Webserver davor braucht ein Zertifikat für die Domain. Die Caddy-Konfiguration in deploy/ holt es innerhalb einer Minute selbst; bei einem anderen Webserver trägt der Betreiber dort die Domain und ihr Zertifikat ein.',
    problems: {
      expired: (until) => `Das Zertifikat ist am ${until} abgelaufen. Es muss erneuert werden.`,
      not_yet_valid: 'Das Zertifikat gilt noch nicht. Vergleiche die Uhren der Server.',
      other_name: 'Das Zertifikat gilt für einen anderen Namen. Nötig ist eines für diese Domain.',
      self_signed:
        'Das Zertifikat ist selbst ausgestellt, daher warnen Browser die Besucher. Nötig ist eines einer öffentlichen Stelle.',
      unknown_issuer:
        'Browser kennen den Aussteller des Zertifikats nicht, oder der Server sendet das Zwischenzertifikat nicht.',
      other: 'Browser vertrauen dem Zertifikat nicht.',
      no_address: 'Die Domain hat keine Adresse im DNS. Siehe Schritt 2.',
      not_public: '',
      refused: 'Unter der Adresse der Domain nimmt niemand HTTPS an: Verbindungen zu Port 443 werden abgelehnt.',
      timeout: 'Unter der Adresse der Domain antwortet niemand auf HTTPS. Vielleicht sperrt eine Firewall Port 443.',
      not_tls: 'Der Server der Domain spricht auf Port 443 kein HTTPS.',
      no_certificate: 'Der Webserver hat noch kein Zertifikat für die Domain.',
    },
  },
  pagesStep: {
    title: 'Startseite und Seite für unbekannte Links',
    hint: 'Manche tippen die bloße Domain ein oder vertippen sich bei einem Link. Sag, wohin sie kommen; sonst sehen sie eine schlichte Seite dieses Dienstes.',
    rootUrl: 'Wohin die bloße Domain führt',
    notFoundUrl: 'Wohin unbekannte Links führen',
    urlHint: 'Eine http- oder https-URL. Leer für unsere eigene Seite.',
    none: 'Besucher sehen eine schlichte Seite dieses Dienstes.',
  },
  testStep: {
    title: 'Testlink',
    hint: 'Ein Klick legt einen Link auf deiner Domain an. Öffne ihn: Kommt dein Besuch hier an, funktioniert alles.',
    make: 'Testlink anlegen',
    open: 'Öffnen',
    waiting: 'Wartet auf deinen Besuch …',
    visited: 'Es funktioniert: Dein Besuch ist angekommen und gezählt.',
    notArrived:
      'Wenn sich die Seite nicht öffnet, kennt dein Browser oder Netz vielleicht noch die alte DNS-Antwort. Versuche es in einigen Minuten wieder, oder vom Telefon ohne WLAN.',
    leadsTo: (url) => `führt zu ${url}`,
    statistics: 'Link zeigen',
    hasLinks: 'Auf dieser Domain gibt es Links.',
    dnsFirst: 'Möglich, sobald die Domain hierher zeigt (Schritt 2).',
    groupFirst: (group) => `${group} darf die Domain noch nicht benutzen (Schritt 1).`,
  },
}
