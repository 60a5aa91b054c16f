// Leaflet as the page uses it: Debian's file has no types, and what it makes is called but never looked into.
export const Icon: any;
export const Util: any;
export const DomEvent: any;
export const circleMarker: any;
export const layerGroup: any;
export const map: any;
export const marker: any;
export const polygon: any;
export const popup: any;
export const svg: any;
