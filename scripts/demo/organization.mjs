// The people, campaigns and links of the demo: Larkfield, a coffee roaster with three shops and an online store.

export const organizationName = 'Larkfield Coffee'

/** The first one is the administrator that the demo signs in. */
export const members = [
  { login: 'maya', name: 'Maya Lindqvist', role: 'admin' },
  { login: 'jonas', name: 'Jonas Weber', role: 'member' },
  { login: 'priya', name: 'Priya Raman', role: 'reader' },
]

/** Branded domains; the second has no links yet. */
export const domains = [
  {
    name: 'go.larkfield.example',
    root_url: 'https://larkfield.example/',
    not_found_url: 'https://larkfield.example/not-found',
  },
  { name: 'cup.larkfield.example' },
]

/** Days are counted back from today; clicks of a campaign's links come above all while it runs. */
export const campaigns = [
  { name: 'Spring blend', description: 'The new spring blend, from farm to cup.', from: 250, to: 190 },
  { name: 'Summer of cold brew', description: 'Cold brew kits in the store and in the shops.', from: 160, to: 85 },
  { name: 'Autumn subscription', description: 'Three months of coffee, one of them free.', from: 45, to: -30 },
]

export const channels = ['Newsletter', 'Instagram', 'Posters', 'Partners']

/** The others stay gray. */
export const tagColors = {
  coffee: 'orange',
  store: 'blue',
  journal: 'purple',
  events: 'green',
  gear: 'teal',
  campaign: 'pink',
}

/** How much attention each channel brings, and where its clicks come from. */
export const channelTraits = {
  Newsletter: { weight: 1.6, referrers: ['', '', 'https://mail.google.com/'], kind: 'click' },
  Instagram: { weight: 1.3, referrers: ['https://www.instagram.com/', 'https://l.instagram.com/'], kind: 'click' },
  Posters: { weight: 0.8, referrers: [''], kind: 'scan' },
  Partners: {
    weight: 0.5,
    referrers: ['https://baristamagazine.example/', 'https://coffeeblog.example/'],
    kind: 'click',
  },
}

/** What Larkfield links to. `count` links of each kind are made, spread over the nine months. */
export const subjects = [
  {
    count: 120,
    title: (number) =>
      `${pick(coffees, number)}: ${pick(['tasting notes', 'brewing guide', 'meet the farmers', 'back in stock'], number)}`,
    url: (number) => `https://shop.larkfield.example/coffee/${slug(pick(coffees, number))}?ref=${number}`,
    tags: ['coffee', 'store'],
    weight: 1,
  },
  {
    count: 70,
    title: (number) => `Journal: ${pick(stories, number)}`,
    url: (number) => `https://larkfield.example/journal/${slug(pick(stories, number))}-${number}`,
    tags: ['journal'],
    weight: 0.8,
  },
  {
    count: 60,
    title: (number) =>
      `${pick(['Cupping', 'Latte art', 'Home barista', 'Roasting'], number)} class in ${pick(cities, number)}`,
    url: (number) => `https://events.larkfield.example/classes/${number + 100}`,
    tags: ['events'],
    weight: 0.5,
  },
  {
    count: 50,
    title: (number) =>
      `${pick(['Grinder', 'Kettle', 'Scale', 'Pour-over set', 'Mug'], number)}: ${pick(['compare', 'order', 'review', 'manual'], number)}`,
    url: (number) => `https://shop.larkfield.example/gear/${number}?utm_source=site`,
    tags: ['gear', 'store'],
    weight: 0.7,
  },
  {
    count: 40,
    title: (number) =>
      `Jobs: ${pick(['barista', 'roaster', 'shop manager', 'web developer'], number)} (${pick(cities, number)})`,
    url: (number) => `https://jobs.larkfield.example/${number}`,
    tags: ['jobs'],
    weight: 0.3,
  },
]

/** Links that are known by heart, with a custom back-half. */
export const famousLinks = [
  {
    keyword: 'menu',
    title: 'Menu of today',
    url: 'https://larkfield.example/menu',
    tags: ['shops'],
    weight: 9,
    kind: 'scan',
  },
  {
    keyword: 'subscribe',
    title: 'Coffee subscription',
    url: 'https://shop.larkfield.example/subscribe',
    tags: ['store'],
    weight: 7,
  },
  {
    keyword: 'cold-brew',
    title: 'Cold brew at home',
    url: 'https://larkfield.example/journal/cold-brew',
    tags: ['journal'],
    weight: 5,
  },
  {
    keyword: 'wifi',
    title: 'Wi-Fi for guests',
    url: 'https://larkfield.example/guests',
    tags: ['shops'],
    weight: 3,
    kind: 'scan',
  },
  {
    keyword: 'visit',
    title: 'Opening hours and maps',
    url: 'https://larkfield.example/shops',
    tags: ['shops'],
    weight: 4,
  },
  {
    keyword: 'gift',
    title: 'Gift cards',
    url: 'https://shop.larkfield.example/gift-cards',
    tags: ['store'],
    weight: 3,
  },
  {
    keyword: 'careers',
    title: 'Work with us',
    url: 'https://jobs.larkfield.example/',
    tags: ['jobs'],
    weight: 1.5,
    domain: 'go.larkfield.example',
  },
  {
    keyword: 'press',
    title: 'Press kit',
    url: 'https://larkfield.example/press',
    tags: ['press'],
    weight: 0.6,
    domain: 'go.larkfield.example',
  },
]

const coffees = [
  'Ethiopia Guji',
  'Colombia Huila',
  'Kenya Nyeri',
  'Brazil Cerrado',
  'Guatemala Antigua',
  'House espresso',
]
const stories = [
  'Why we roast light',
  'A week in Huila',
  'Water matters',
  'The perfect flat white',
  'What decaf is',
  'Cups that last',
]
const cities = ['Hamburg', 'Copenhagen', 'Portland']

function pick(words, number) {
  return words[number % words.length]
}

function slug(text) {
  return text.toLowerCase().replaceAll(/[^a-z]+/g, '-')
}

/** Pages with links, to short links by their custom back-halves; the second is not published. */
export const sites = [
  {
    path: 'm/larkfield',
    template: 'Tpaper',
    name: 'Larkfield Coffee',
    about: 'Roasted in small batches since 2014',
    keywords: ['menu', 'subscribe', 'visit', 'gift'],
    isPublished: true,
  },
  {
    path: 'm/summer',
    template: 'Tmidnight',
    name: 'Summer at Larkfield',
    about: 'Cold drinks',
    keywords: ['cold-brew'],
  },
]

/** Icons of the sites that links lead to, which nobody can fetch: a letter on a color. */
export const icons = {
  'larkfield.example': ['L', '#7c2d12'],
  'shop.larkfield.example': ['S', '#14532d'],
  'events.larkfield.example': ['E', '#1e3a8a'],
  'jobs.larkfield.example': ['J', '#6b21a8'],
}

/** Programs that are told about events. */
export const webhooks = [
  {
    name: 'Data warehouse',
    path: '/warehouse/shortlink',
    event: 'engagement',
    events: ['link.created', 'link.updated', 'qr_code.created'],
  },
  {
    name: 'Chat of the team',
    path: '/chat/marketing',
    event: 'link.expired',
    events: ['limit.reached', 'domain.status_changed'],
  },
  { name: 'Former CRM', path: '/crm', event: 'engagement', isOfGroup: true, is_active: false },
]
