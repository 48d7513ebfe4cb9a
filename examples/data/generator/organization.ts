/** A department, and its number of employees including the head. */
export interface Department {
  readonly name: string;
  readonly costCenter: string;
  readonly headcount: number;
  readonly teams: readonly string[];
  readonly titles: readonly string[];
  /** Whether most people work at machines, without an address and software. */
  readonly shopFloor?: boolean;
}

/** A division: the first part of a department path. */
export interface Division {
  readonly name: string;
  readonly head: string;
  readonly departments: readonly Department[];
}

/** Name of the fictional company. */
export const COMPANY = "Polarvik Instruments";

/** 1,500 people in departments, five heads of division and one chief executive. */
export const DIVISIONS: readonly Division[] = [
  {
    name: "Research & Development",
    head: "VP Research & Development",
    departments: [
      {
        name: "Optics, Coatings & Materials",
        costCenter: "4110",
        headcount: 150,
        teams: ["Thin Films", "Glass", "Metrology"],
        titles: ["Optical Engineer", "Engineer, Thin Films", "Lab Technician", "Scientist"],
      },
      {
        name: "Mechanical Design",
        costCenter: "4120",
        headcount: 110,
        teams: ["Housings", "Mounts, Precision Parts"],
        titles: ["Mechanical Engineer", "CAD Designer", "Engineer, Tolerances"],
      },
      {
        name: "Embedded Software",
        costCenter: "4130",
        headcount: 130,
        teams: ["Firmware", "Imaging", "Test Automation"],
        titles: ["Software Engineer", "Senior Software Engineer", "Test Engineer"],
      },
      {
        name: "Industrial Design & UX",
        costCenter: "4140",
        headcount: 80,
        teams: ["Product Design", "User Research"],
        titles: ["Industrial Designer", "UX Designer", "User Researcher", "Design Lead, Handhelds"],
      },
    ],
  },
  {
    name: "Operations",
    head: "VP Operations",
    departments: [
      {
        name: "Production, Assembly",
        costCenter: "5110",
        headcount: 230,
        teams: ["Line A", "Line B", "Cleanroom", "Night Shift"],
        titles: ["Assembler", "Fine Optician", "Shift Planner", "Machine Operator"],
        shopFloor: true,
      },
      {
        name: "Quality",
        costCenter: "5120",
        headcount: 80,
        teams: ["Incoming Goods", "Final Inspection"],
        titles: ["Quality Engineer", "Inspector"],
      },
      {
        name: "Logistics",
        costCenter: "5130",
        headcount: 70,
        teams: ["Warehouse", "Shipping, Customs"],
        titles: ["Warehouse Clerk", "Logistics Planner", "Customs Specialist"],
        shopFloor: true,
      },
      {
        name: "Purchasing",
        costCenter: "5140",
        headcount: 60,
        teams: ["Direct Materials", "Indirect Spend"],
        titles: ["Buyer", "Category Manager"],
      },
    ],
  },
  {
    name: "Sales & Marketing",
    head: "VP Sales & Marketing",
    departments: [
      {
        name: "Sales EMEA",
        costCenter: "6110",
        headcount: 110,
        teams: ["DACH", "Southern Europe", "UK, Ireland & Nordics"],
        titles: ["Account Manager", "Sales Engineer", "Key Account Manager"],
      },
      {
        name: "Sales Americas",
        costCenter: "6120",
        headcount: 70,
        teams: ["North", "Latin America"],
        titles: ["Account Executive", "Sales Engineer"],
      },
      {
        name: "Sales APAC",
        costCenter: "6130",
        headcount: 50,
        teams: ["Japan", "Greater China, Korea"],
        titles: ["Account Manager", "Channel Manager"],
      },
      {
        name: "Customer Service",
        costCenter: "6140",
        headcount: 60,
        teams: ["Helpdesk", "Field Service"],
        titles: ["Service Agent", "Field Engineer"],
      },
      {
        name: "Marketing & Communications",
        costCenter: "6150",
        headcount: 40,
        teams: ["Brand", "Trade Fairs, Events"],
        titles: ["Marketing Manager", "Graphic Designer", "Copywriter"],
      },
    ],
  },
  {
    name: "Finance, Legal & People",
    head: "Chief Financial Officer",
    departments: [
      {
        name: "Finance",
        costCenter: "7110",
        headcount: 70,
        teams: ["Controlling", "Accounts Payable"],
        titles: ["Controller", "Accountant"],
      },
      {
        name: "Legal",
        costCenter: "7120",
        headcount: 20,
        teams: ["Contracts, IP"],
        titles: ["Counsel", "Paralegal"],
      },
      {
        name: "People",
        costCenter: "7130",
        headcount: 60,
        teams: ["HR Business Partners", "Payroll"],
        titles: ["HR Business Partner", "Payroll Specialist"],
      },
    ],
  },
  {
    name: "IT & Digital",
    head: "Chief Information Officer",
    departments: [
      {
        name: "IT Operations",
        costCenter: "8110",
        headcount: 60,
        teams: ["Workplace", "Infrastructure, Network"],
        titles: ["System Administrator", "IT Specialist", "IT Manager, Licenses"],
      },
      {
        name: "Data & Analytics",
        costCenter: "8120",
        headcount: 50,
        teams: ["Reporting", "Data Platform"],
        titles: ["Data Analyst", "Data Engineer"],
      },
    ],
  },
];
