/* Python's `random.Random`: the Mersenne Twister MT19937, seeded and read as CPython does it.
   Source: Matsumoto and Nishimura (1998), "Mersenne Twister", and their reference code of 2002 (init_by_array, genrand_res53). */

const N = 624;
const M = 397;

export class Random {
  #state = new Uint32Array(N);
  #at = N;

  /** @param {number} seed a whole number from 0 to 4294967295 */
  constructor(seed) {
    const state = this.#state;
    state[0] = 19650218;
    for (let i = 1; i < N; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    let i = 1;
    const step = (factor, added) => {
      state[i] = (state[i] ^ Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), factor)) + added(i);
      if (++i >= N) {
        state[0] = state[N - 1];
        i = 1;
      }
    };
    for (let k = 0; k < N; k++) step(1664525, () => seed); // a key of one number, whose place is 0
    for (let k = 1; k < N; k++) step(1566083941, (place) => -place);
    state[0] = 0x80000000;
  }

  /** The next number from 0 up to, not including, 1; of 53 random bits. */
  random() {
    const high = this.#next() >>> 5;
    const low = this.#next() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  #next() {
    if (this.#at === N) this.#twist();
    let y = this.#state[this.#at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  #twist() {
    const state = this.#state;
    for (let i = 0; i < N; i++) {
      const y = (state[i] & 0x80000000) | (state[(i + 1) % N] & 0x7fffffff);
      state[i] = state[(i + M) % N] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.#at = 0;
  }
}
