/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Which partition a key belongs to: murmur2 with the seed and the sign rule of Kafka's Java client,
 * so that a foreign client with {@code partitioner=murmur2_random} chooses the same.
 */
public final class Partitioner {

  private static final int SEED = 0x9747b28c;
  private static final int M = 0x5bd1e995;
  private static final int R = 24;

  private Partitioner() {}

  /** The partition of a text key, by its UTF-8 bytes. */
  public static int partition(String key, int partitions) {
    return toPartition(murmur2(key.getBytes(StandardCharsets.UTF_8)), partitions);
  }

  /** The partition of a message without a key, by the 16 bytes of its id. Allocates nothing. */
  public static int partition(long idHigh, long idLow, int partitions) {
    if (partitions == 1) {
      return 0;
    }
    int h = SEED ^ 16;
    h = mix(h, Integer.reverseBytes((int) (idHigh >>> 32)));
    h = mix(h, Integer.reverseBytes((int) idHigh));
    h = mix(h, Integer.reverseBytes((int) (idLow >>> 32)));
    h = mix(h, Integer.reverseBytes((int) idLow));
    return toPartition(finish(h), partitions);
  }

  /** The partition of a message without a key, by its id. */
  public static int partition(UUID id, int partitions) {
    return partition(id.getMostSignificantBits(), id.getLeastSignificantBits(), partitions);
  }

  private static int toPartition(int hash, int partitions) {
    return (hash & 0x7fffffff) % partitions;
  }

  static int murmur2(byte[] bytes) {
    int h = SEED ^ bytes.length;
    int whole = bytes.length & ~3;
    for (int i = 0; i < whole; i += 4) {
      int k =
          bytes[i] & 0xff
              | (bytes[i + 1] & 0xff) << 8
              | (bytes[i + 2] & 0xff) << 16
              | (bytes[i + 3] & 0xff) << 24;
      h = mix(h, k);
    }
    int rest = bytes.length - whole;
    if (rest > 0) {
      if (rest == 3) {
        h ^= (bytes[whole + 2] & 0xff) << 16;
      }
      if (rest >= 2) {
        h ^= (bytes[whole + 1] & 0xff) << 8;
      }
      h ^= bytes[whole] & 0xff;
      h *= M;
    }
    return finish(h);
  }

  private static int mix(int h, int k) {
    k *= M;
    k ^= k >>> R;
    k *= M;
    return h * M ^ k;
  }

  private static int finish(int h) {
    h ^= h >>> 13;
    h *= M;
    return h ^ h >>> 15;
  }
}
