/** A name, and its form in Latin letters. */
export interface WrittenName {
  readonly written: string;
  readonly latin: string;
}

/** Names and employers of the people of one country. */
export interface Country {
  readonly code: string;
  /** How many of 100 employees work here. */
  readonly weight: number;
  readonly legalEntity: string;
  readonly offices: readonly string[];
  readonly given: readonly WrittenName[];
  readonly family: readonly WrittenName[];
  /** The family name comes first, without a space. */
  readonly familyFirst: boolean;
}

/** "Anna 太郎=Taro": names divided by spaces, `=` before the Latin form, `_` for a space within a name. */
function names(list: string): WrittenName[] {
  return list.split(" ").map((entry) => {
    const [written = entry, latin = written] = entry.replaceAll("_", " ").split("=");
    return { written, latin };
  });
}

function country(
  code: string,
  weight: number,
  legalEntity: string,
  offices: string[],
  given: string,
  family: string,
  familyFirst = false,
): Country {
  return { code, weight, legalEntity, offices, given: names(given), family: names(family), familyFirst };
}

const GERMANY = [
  "Haus 3, 2. OG\nLindenallee 14\n04109 Leipzig",
  "Werk Nord, Halle B",
  "Haus 1\nLindenallee 14\n04109 Leipzig",
  "Jena, Carl-Allee 9",
  "Leipzig",
];

/** The countries that the company has employees in. */
export const COUNTRIES: readonly Country[] = [
  country(
    "DE",
    36,
    "Polarvik Optik GmbH",
    GERMANY,
    "Anna Jürgen Käthe Lukas Björn Sönke Mareike Jörg Annika Günther Felix Leonie Moritz Ulrike Rüdiger Heike Tobias Charlotte Hans-Peter Anne-Sophie Matthias Franziska Jonas Clara Fabian Renate Sebastian Ines Torsten Silke",
    "Müller Schröder Weiß Köhler Schäfer Jäger Groß von_der_Heyde Kühn Löwe Böhm Fuchs Zimmermann Krüger Voß Lindner Österreich Baumgärtner Hartmann Meyer-Lüdenscheidt Strauß Brandt Vogel Seidel Pfeiffer Ullrich Grünwald Kästner Röhm Ziegler",
  ),
  country(
    "FR",
    9,
    "Polarvik France SAS",
    ["Lyon, Part-Dieu", "12, rue des Lunettiers\n69003 Lyon"],
    "Zoé Élodie François Hélène Jérôme Benoît Chloé André Maëlle Loïc Aurélie Noël Inès Rémi Mathilde Jean-Luc",
    "Lefèvre D'Amboise Béranger Dupré L'Hôpital Forêt Gauthier Côté Marchand Rousseau Brûlé De_La_Croix Perrin-Morel Faÿ",
  ),
  country(
    "IE",
    6,
    "Polarvik Ireland Ltd",
    ["Dublin, Grand Canal Quay", "Cork"],
    "Siobhán Niamh Ciarán Aoife Seán Róisín Padraig Caoimhe Eoin Gráinne Declan Orla",
    "O'Brien O'Sullivan Ó_Súilleabháin McCarthy D'Arcy Byrne Ní_Dhomhnaill Kelly O'Reilly Walsh",
  ),
  country(
    "PL",
    10,
    "Polarvik Polska Sp. z o.o.",
    ["Wrocław, ul. Świdnicka 22", "Wrocław"],
    "Łukasz Małgorzata Paweł Agnieszka Krzysztof Żaneta Michał Zofia Grażyna Stanisław Elżbieta Rafał Joanna",
    "Wójcik Kowalczyk Zieliński Dąbrowska Łuczak Szymański Woźniak Kaźmierczak Nowak Żuraw Gołąb Świątek",
  ),
  country(
    "CZ",
    6,
    "Polarvik Česko s.r.o.",
    ["Brno", "Brno, Veveří 31\n3. patro"],
    "Jiří Tomáš Kateřina Lucie Ondřej Zdeňka Vojtěch Šárka Radek Eliška",
    "Novák Dvořák Černý Procházková Kučera Růžička Němec Horáková Šťastný Žák",
  ),
  country(
    "ES",
    6,
    "Polarvik Iberia SL",
    ["Valencia", "Calle del Vidrio, 8\n46001 Valencia"],
    "María José Begoña Íñigo Lucía Álvaro Núria Andrés Sofía Jesús",
    "Muñoz García_López Fernández Núñez Ibáñez Peña Ortega_y_Gasset Castaño Gutiérrez Güell",
  ),
  country(
    "US",
    10,
    "Polarvik Inc.",
    ["Rochester, NY", "Suite 400, 75 Lens Street\nRochester, NY 14604", "Remote, Oregon"],
    "Emily Marcus Latoya William Jamal Grace Diego Priya Hannah Tyrone Olivia Ethan Wei Mackenzie",
    "Johnson Smith O'Connor Washington Martinez Patel Nguyen Kowalski Anderson Lee Brooks Fitzgerald St._James",
  ),
  country(
    "JP",
    5,
    "ポラビク株式会社",
    ["東京都品川区", "Tokyo, Shinagawa"],
    "太郎=Taro 花子=Hanako 健太=Kenta 美咲=Misaki 翔=Sho 陽子=Yoko 大輔=Daisuke 恵=Megumi 直樹=Naoki 由美=Yumi 蓮=Ren 葵=Aoi 真一=Shinichi 彩=Aya",
    "山田=Yamada 佐藤=Sato 鈴木=Suzuki 髙橋=Takahashi 渡邊=Watanabe 小林=Kobayashi 伊藤=Ito 中村=Nakamura 加藤=Kato 吉田=Yoshida 山口=Yamaguchi 松本=Matsumoto",
    true,
  ),
  country(
    "CN",
    3,
    "Polarvik (Shanghai) Co., Ltd.",
    ["上海市浦东新区", "Shanghai, Pudong"],
    "伟=Wei 丽=Li 敏=Min 晓明=Xiaoming 雪=Xue 建国=Jianguo 静=Jing 磊=Lei 海燕=Haiyan 志强=Zhiqiang 婷婷=Tingting",
    "王=Wang 李=Li 张=Zhang 欧阳=Ouyang 陈=Chen 吕=Lu 刘=Liu 黄=Huang 赵=Zhao 司马=Sima",
    true,
  ),
  country(
    "KR",
    2,
    "Polarvik Korea Ltd.",
    ["서울"],
    "민준=Minjun 서연=Seoyeon 지훈=Jihoon 수빈=Subin 예은=Yeeun 도현=Dohyun 하윤=Hayoon 은지=Eunji 성호=Sungho",
    "김=Kim 이=Lee 박=Park 최=Choi 정=Jung 강=Kang 윤=Yoon",
    true,
  ),
  country(
    "DK",
    3,
    "Polarvik Danmark ApS",
    ["Aarhus"],
    "Søren Mette Jørgen Åse Kåre Bjørn Freja Lærke Rasmus Signe Troels",
    "Sørensen Nørgaard Østergaard Kjær Ågård Møller Skov Lynge Bæk",
  ),
  country(
    "TR",
    2,
    "Polarvik Türkiye A.Ş.",
    ["İzmir"],
    "Çağla Oğuz Şebnem İbrahim Gülşen Ömer Defne Barış Ünal",
    "Yıldız Öztürk Çelik Şahin Aydın Koç Doğan Kılıç",
  ),
  country(
    "VN",
    2,
    "Polarvik Vietnam Co., Ltd.",
    ["Đà Nẵng"],
    "Thị_Hương Văn_Đức Ngọc Tuấn Thảo Minh Hằng Quốc_Bảo Mai",
    "Nguyễn Trần Phạm Đặng Lê Bùi Hoàng Vũ",
  ),
];
