/**
 * ISO 3166-2 codes of regions. The bundled geography has English names and no codes, so this file maps the names of some
 * countries to codes, in all the spellings that the data uses. Other countries need geography data with codes.
 */
export function regionSpellings(country: string, region: string): readonly string[] {
  if (country === '' || region === '') return []
  const upper = region.toUpperCase()
  const code = codes.get(`${country}-${upper}`)
  // The last form is for geography data with codes (`CA` in `US`), and for names without a code here.
  return [upper, ...(code === undefined ? [] : [`${country}-${code}`]), `${country}-${upper}`]
}

const tables: Readonly<Record<string, string>> = {
  US: `AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware,
    DC District of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas,
    KY Kentucky, LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi,
    MO Missouri, MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York,
    NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island,
    SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, WA Washington,
    WV West Virginia, WI Wisconsin, WY Wyoming`,
  CA: `AB Alberta, BC British Columbia, MB Manitoba, NB New Brunswick, NL Newfoundland and Labrador, NS Nova Scotia,
    NT Northwest Territories, NU Nunavut, ON Ontario, PE Prince Edward Island, QC Quebec, SK Saskatchewan, YT Yukon`,
  AU: `ACT Australian Capital Territory, ACT ACT, NSW New South Wales, NT Northern Territory, QLD Queensland,
    SA South Australia, TAS Tasmania, VIC Victoria, WA Western Australia`,
  DE: `BW Baden-Wurttemberg, BY Bavaria, BE Berlin, BE State of Berlin, BB Brandenburg, HB Bremen,
    HB City state Bremen, HB Free Hanseatic City of Bremen, HH Hamburg, HH Free and Hanseatic City of Hamburg, HE Hesse,
    MV Mecklenburg-Vorpommern, NI Lower Saxony, NW North Rhine-Westphalia, RP Rheinland-Pfalz, SL Saarland, SN Saxony,
    ST Saxony-Anhalt, SH Schleswig-Holstein, TH Thuringia`,
  GB: 'ENG England, NIR Northern Ireland, SCT Scotland, WLS Wales',
  FR: `ARA Auvergne-Rhone-Alpes, ARA Rhone-Alpes, BFC Bourgogne-Franche-Comte, BFC Bourgogne, BRE Brittany,
    CVL Centre-Val de Loire, 20R Corsica, GES Grand Est, HDF Hauts-de-France, IDF Ile-de-France, NOR Normandy,
    NAQ Nouvelle-Aquitaine, NAQ New Aquitaine, OCC Occitanie, PDL Pays de la Loire, PAC Provence-Alpes-Cote d'Azur,
    PAC Provence`,
  ES: `AN Andalusia, AR Aragon, AS Asturias, CN Canary Islands, CB Cantabria, CM Castille-La Mancha, CL Castille and Leon,
    CT Catalonia, CE Ceuta, EX Extremadura, GA Galicia, IB Balearic Islands, RI La Rioja, MD Madrid, ML Melilla,
    MC Murcia, NC Navarre, PV Basque Country, VC Valencia`,
  IT: `65 Abruzzo, 77 Basilicate, 77 Basilicata, 78 Calabria, 72 Campania, 45 Emilia-Romagna, 36 Friuli Venezia Giulia,
    62 Lazio, 42 Liguria, 25 Lombardy, 57 The Marches, 67 Molise, 21 Piedmont, 75 Apulia, 88 Sardinia, 82 Sicily,
    52 Tuscany, 32 Trentino-Alto Adige, 55 Umbria, 23 Aosta Valley, 34 Veneto`,
  NL: `DR Drenthe, FL Flevoland, FR Friesland, GE Gelderland, GR Groningen, LI Limburg, NB North Brabant,
    NH North Holland, OV Overijssel, UT Utrecht, ZE Zeeland, ZH South Holland`,
  AT: `1 Burgenland, 2 Carinthia, 3 Lower Austria, 4 Upper Austria, 5 Salzburg, 6 Styria, 7 Tyrol, 8 Vorarlberg,
    9 Vienna, 9 State of Vienna`,
  CH: `AG Aargau, AI Appenzell Innerrhoden, AR Appenzell Ausserrhoden, BE Bern, BL Basel-Landschaft, BS Basel-City,
    FR Fribourg, GE Geneva, GL Glarus, GR Grisons, JU Jura, LU Lucerne, NE Neuchatel, NW Nidwalden, OW Obwalden,
    SG Saint Gall, SH Schaffhausen, SO Solothurn, SZ Schwyz, TG Thurgau, TI Ticino, UR Uri, VD Vaud, VS Valais, ZG Zug,
    ZH Zurich`,
  BR: `AC Acre, AL Alagoas, AM Amazonas, AP Amapa, BA Bahia, CE Ceara, DF Federal District, ES Espirito Santo, GO Goias,
    MA Maranhao, MG Minas Gerais, MS Mato Grosso do Sul, MT Mato Grosso, PA Para, PB Paraiba, PE Pernambuco, PI Piaui,
    PR Parana, RJ Rio de Janeiro, RN Rio Grande do Norte, RO Rondonia, RR Roraima, RS Rio Grande do Sul,
    SC Santa Catarina, SE Sergipe, SP Sao Paulo, TO Tocantins`,
}

/** `US-CALIFORNIA` -> `CA` */
const codes: ReadonlyMap<string, string> = new Map(
  Object.entries(tables).flatMap(([country, table]) =>
    table.split(',').map((entry) => {
      const [, code = '', name = ''] = /^\s*(\S+)\s+(.+)$/.exec(entry) ?? []
      return [`${country}-${name.toUpperCase()}`, code] as const
    }),
  ),
)
