// What the trainer computes in WebAssembly; the rest of each layer is in src/.
export { gemm } from "./gemm";
export { score, scoreBackward } from "./pointer";
export { addRows, gate, rectify } from "./rows";
export { gather, scatter } from "./sparse";
