/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.forebay.call.value.UndecodableReason;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * For any bytes, a reader either makes calls or reports the error, with little memory and time.
 *
 * <p>{@code -Dforebay.fuzz.inputs=…} and {@code -Dforebay.fuzz.seed=…} choose the number and seed
 * of the inputs; a failure reports its input.
 */
class FuzzTest {

  /** In bytes, so that there is room for the rest of a message. */
  private static final int LONGEST_LIST = (1 << 20) - 200;

  private static final int INPUTS = Integer.getInteger("forebay.fuzz.inputs", 1_000_000);
  private static final long SEED = Long.getLong("forebay.fuzz.seed", 1);

  /**
   * The object of a one-byte item can take some ten times its size; an error with its texts takes
   * 16 KiB.
   */
  private static final long BYTES_PER_BYTE = 100;

  private static final long BYTES_PER_INPUT = 16 << 10;

  private static final long NANOS_PER_INPUT = 2_000_000_000L;

  /** A protocol with every kind of declaration. */
  interface Target extends Statements {
    void typed(byte a, float b, String c, List<Long> d, RandomValues.Item[] e, Thread.State f);

    void records(Wide a, List<Wide> b);

    record Wide(boolean a, Integer b, String c, UUID d, Object e, List<Wide> f) {}
  }

  private static final Protocol<Target> PROTOCOL = Protocol.of(Target.class, RandomValues.ALIASES);

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final int[] calls = {0};
  private final Map<UndecodableReason, Integer> reasons = new EnumMap<>(UndecodableReason.class);
  private CallReader<Target> reader;
  private List<byte[]> valid;

  @BeforeEach
  void writeValidMessages() {
    reader =
        PROTOCOL.reader(
            "fuzz",
            new Target() {
              @Override
              public void typed(
                  byte a, float b, String c, List<Long> d, RandomValues.Item[] e, Thread.State f) {
                calls[0]++;
              }

              @Override
              public void records(Wide a, List<Wide> b) {
                calls[0]++;
              }

              @Override
              public void executeQuery(String query, Class<?> resultType, Object... args) {
                calls[0]++;
              }

              @Override
              public void executeUpdate(String query, Object... args) {
                calls[0]++;
              }
            });
    RandomValues values = new RandomValues(random.split());
    TestQueue queue = new TestQueue();
    try (Writer<Target> writer = PROTOCOL.writer(queue.queue())) {
      for (int i = 0; i < 200; i++) {
        write(writer, values, i);
      }
    }
    valid = new ArrayList<>(queue.appended.stream().map(TestQueue.Appended::bytes).toList());
    valid.forEach(this::read);
    assertThat(calls[0]).isEqualTo(200);
  }

  private void write(Writer<Target> writer, RandomValues values, int i) {
    if (i % 3 == 0) {
      writer.keyed("client", "key " + i).replay(new UUID(1, i));
    }
    switch (i % 4) {
      case 0 -> writer.calls().executeUpdate(values.text(), values.args());
      case 1 -> writer.calls().executeQuery(values.text(), Instant.class, values.args());
      case 2 ->
          writer
              .calls()
              .typed(
                  (byte) i,
                  i,
                  values.text(),
                  List.of(1L, 2L),
                  new RandomValues.Item[] {new RandomValues.Item(i, values.next(), List.of())},
                  Thread.State.NEW);
      default -> {
        Target.Wide inner = new Target.Wide(true, i, null, null, values.next(), List.of());
        Target.Wide outer =
            new Target.Wide(
                false, null, values.text(), new UUID(i, i), values.next(), List.of(inner, inner));
        writer.calls().records(outer, List.of(inner));
      }
    }
  }

  @Test
  void anyInputIsReadOrRefusedInLittleMemoryAndTime() {
    long longest = 0;
    for (int i = 0; i < INPUTS; i++) {
      byte[] input = input(i);
      long start = System.nanoTime();
      long allocated = allocatedBy(input);
      longest = Math.max(longest, System.nanoTime() - start);
      long limit = BYTES_PER_INPUT + BYTES_PER_BYTE * input.length;
      // Twice, because the first use of a class allocates too.
      if (allocated > limit && allocatedBy(input) > limit) {
        fail(
            "%,d bytes allocated for an input of %,d: %s",
            allocated, input.length, HexFormat.of().formatHex(input));
      }
    }
    assertThat(longest).as("nanoseconds for one input").isLessThan(NANOS_PER_INPUT);
    if (INPUTS >= 1_000_000) {
      assertThat(calls[0]).as("calls of inputs that were valid still").isGreaterThan(INPUTS / 20);
      assertThat(reasons.keySet()).containsExactly(UndecodableReason.values());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00",
        "f6",
        "18ff",
        "1b7fffffffffffffff",
        "60",
        "6161",
        "62c3a4",
        "40",
        "4101",
        "80",
        "8100",
        "818180",
        "f93c00",
        "fb3ff8000000000000",
        "c4820001",
        "c48200c24101",
        "d9010640",
        "d82767696e7374616e74",
        "d82550000102030405060708090a0b0c0d0e0f"
      })
  void aListOfManySmallItemsTakesMemoryInProportion(String item) {
    byte[] element = HexFormat.of().parseHex(item);
    int count = LONGEST_LIST / element.length;
    ByteBuffer list = ByteBuffer.allocate(5 + count * element.length);
    list.put((byte) 0x9a).putInt(count);
    for (int i = 0; i < count; i++) {
      list.put(element);
    }
    byte[] input = executeUpdateOf(list.array());
    assertThat(allocatedBy(input)).isLessThan(BYTES_PER_BYTE * input.length);
    assertThat(calls[0]).isEqualTo(201);
  }

  @Test
  void aListThatClaimsElementsItDoesNotHaveTakesLittle() {
    byte[] lists =
        HexFormat.of().parseHex("9a000f0000".repeat(31) + "00".repeat(LONGEST_LIST - 31 * 5));
    byte[] input = executeUpdateOf(lists);
    assertThat(allocatedBy(input)).isLessThan(BYTES_PER_BYTE * input.length);
    assertThat(reasons).containsOnlyKeys(UndecodableReason.MALFORMED);
  }

  /** A message with one call whose variable arguments are given as the bytes of a list. */
  private static byte[] executeUpdateOf(byte[] list) {
    byte[] message = Foreign.message("executeUpdate", "", Foreign.array());
    byte[] input = Arrays.copyOf(message, message.length - 1 + list.length);
    System.arraycopy(list, 0, input, message.length - 1, list.length);
    return input;
  }

  private long allocatedBy(byte[] input) {
    long before = threads.getCurrentThreadAllocatedBytes();
    read(input);
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private void read(byte[] input) {
    try {
      reader.read(0, 0, ByteBuffer.wrap(input));
    } catch (UndecodableMessage e) {
      reasons.merge(e.reason(), 1, Integer::sum);
    } catch (RuntimeException | Error e) {
      fail("input " + HexFormat.of().formatHex(input), e);
    }
    if (Message.currentOrNull() != null) {
      fail("a message is current after input " + HexFormat.of().formatHex(input));
    }
  }

  private byte[] input(int i) {
    byte[] message = valid.get(random.nextInt(valid.size()));
    return switch (i % 8) {
      case 0 -> random(random.nextInt(64));
      case 1 -> Arrays.copyOf(message, random.nextInt(message.length));
      case 2 -> spliced(message, valid.get(random.nextInt(valid.size())));
      case 3 -> withRandomCall(message);
      default -> mutated(message, 1 + random.nextInt(3));
    };
  }

  private byte[] random(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Changes some bytes: to any value, to the head of a large item, or by one. */
  private byte[] mutated(byte[] message, int times) {
    byte[] bytes = message.clone();
    for (int i = 0; i < times; i++) {
      int at = random.nextInt(bytes.length);
      bytes[at] =
          switch (random.nextInt(4)) {
            case 0 -> (byte) random.nextInt();
            case 1 -> (byte) (bytes[at] + (random.nextBoolean() ? 1 : -1));
            case 2 -> (byte) (random.nextInt(8) << 5 | random.nextInt(24, 32));
            default -> (byte) (bytes[at] ^ 1 << random.nextInt(8));
          };
    }
    return bytes;
  }

  private byte[] spliced(byte[] left, byte[] right) {
    int cut = random.nextInt(left.length);
    int from = random.nextInt(right.length);
    byte[] bytes = Arrays.copyOf(left, cut + right.length - from);
    System.arraycopy(right, from, bytes, cut, right.length - from);
    return bytes;
  }

  /** A valid envelope followed by noise, so that the noise reaches the values. */
  private byte[] withRandomCall(byte[] message) {
    byte[] bytes = Arrays.copyOf(message, message.length);
    int from = Math.min(bytes.length, 60 + random.nextInt(20));
    for (int i = from; i < bytes.length; i++) {
      bytes[i] = (byte) random.nextInt();
    }
    return bytes;
  }
}
