/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.sender;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes and checks proofs that an instance wrote a message. A proof is the HMAC-SHA-256 of the
 * queue, the partition and all bytes of the message, so it is worth nothing for another message, or
 * in another queue or partition. A copy of the message in the same partition has the proof too.
 *
 * <p>A proof of a message of 250 bytes takes about 0.3 µs of CPU time. Not thread-safe.
 */
public final class SenderProof {

  private static final String ALGORITHM = "HmacSHA256";

  private final String queue;
  private final List<Mac> macs;
  private byte[] place = {};
  private int placePartition = -1;

  /**
   * @param queue a name that is the same for all instances
   * @param keys proofs are made with the first one, and accepted from each
   */
  public SenderProof(String queue, List<String> keys) {
    this.queue = queue;
    this.macs = keys.stream().map(SenderProof::mac).toList();
  }

  private static Mac mac(String key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key.getBytes(UTF_8), ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK has " + ALGORITHM, e);
    }
  }

  /** Returns the proof of a message; null if there is no key. */
  public byte @Nullable [] of(int partition, byte[] message) {
    return macs.isEmpty() ? null : proof(macs.getFirst(), partition, ByteBuffer.wrap(message));
  }

  /**
   * Whether an instance wrote the message; the time that this takes does not depend on the content
   * of the proof.
   *
   * @param proof null if the message has none
   * @param message its bytes, from the buffer's position to its limit; neither is moved
   */
  public boolean holds(byte @Nullable [] proof, int partition, ByteBuffer message) {
    if (proof == null) {
      return false;
    }
    for (Mac mac : macs) {
      if (MessageDigest.isEqual(proof(mac, partition, message.duplicate()), proof)) {
        return true;
      }
    }
    return false;
  }

  private byte[] proof(Mac mac, int partition, ByteBuffer message) {
    if (partition != placePartition) {
      place = "forebay %s %d\n".formatted(queue, partition).getBytes(UTF_8);
      placePartition = partition;
    }
    mac.update(place);
    mac.update(message);
    return mac.doFinal();
  }
}
