/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.call.history.History;
import io.forebay.call.value.Aliases;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.Json;
import io.forebay.call.value.UndecodableReason;
import io.forebay.queue.time.AppendClock;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/message-format.md} agrees with the code, and its Python program runs. */
class FormatDocumentTest {

  /** Under the alias {@code customer}. */
  record Customer(long id, String name) {}

  private static final Path DOCUMENT = Path.of("..", "docs", "message-format.md");
  private static final Aliases ALIASES = Aliases.none().with("customer", Customer.class);
  private static final Protocol<Statements> STATEMENTS = Protocol.of(Statements.class, ALIASES);
  private static final Protocol<Results> RESULTS = Protocol.of(Results.class);
  private static final UUID ID = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
  private static final AppendClock CLOCK = clock(new long[] {0});

  private final String document = read();

  private static AppendClock clock(long[] nanos) {
    return new AppendClock(() -> Instant.parse("2025-06-01T12:00:00.123456Z"), () -> nanos[0]);
  }

  private static String read() {
    try {
      return Files.readString(DOCUMENT);
    } catch (IOException e) {
      throw new AssertionError("the format document cannot be read", e);
    }
  }

  /** The bytes of one statement, with a fixed id. */
  private static byte[] statement(Consumer<Writer<Statements>> calls) {
    TestQueue queue = new TestQueue();
    try (Writer<Statements> writer =
        new Writer<>(STATEMENTS, queue.queue(), Writer.PARTITION_BY_ID, null, null, CLOCK)) {
      calls.accept(writer);
    }
    byte[] bytes = queue.appended.getFirst().bytes();
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if ((bytes[9] & 0xf0) == 0x70) {
      buffer.putLong(3, ID.getMostSignificantBits()).putLong(11, ID.getLeastSignificantBits());
    }
    return bytes;
  }

  /** The bytes of the answer to the statement at position 12,004. */
  private static byte[] answer(Consumer<Output<Results>> calls) {
    TestQueue queue = new TestQueue();
    Message message = Message.of(0, 12_004, ID, Instant.EPOCH);
    message.makeCurrent();
    try (Output<Results> output =
        new Output<>(RESULTS, queue.queue(), 0, queue.queue().appender(), CLOCK)) {
      calls.accept(output);
      output.flush();
    } finally {
      Message.clear();
    }
    return queue.appended.getFirst().bytes();
  }

  /** The bytes of equal answers to the statements at position 12,004 and behind it. */
  private static byte[] run() {
    TestQueue queue = new TestQueue();
    try (Output<Results> output =
        new Output<>(RESULTS, queue.queue(), 0, queue.queue().appender(), CLOCK)) {
      output.collectRuns();
      for (int i = 0; i < 3; i++) {
        UUID id = new UUID(ID.getMostSignificantBits(), ID.getLeastSignificantBits() + i);
        Message.of(0, 12_004 + i, id, Instant.EPOCH).makeCurrent();
        output.calls().updateResult(1);
      }
      output.flush();
    } finally {
      Message.clear();
    }
    return queue.appended.getFirst().bytes();
  }

  private static String examples() {
    return Stream.of(
            example(
                "A statement of the catalogue",
                statement(w -> w.calls().executeUpdate("orders.place@1", 7, "Ada"))),
            example(
                "A statement with SQL text",
                statement(
                    w -> w.calls().executeUpdate("insert into orders values (?, ?)", 7, "Ada"))),
            example(
                "A statement with an idempotency key",
                statement(
                    w -> w.keyed("shop", "order 7").calls().executeUpdate("delete from orders"))),
            example("The result of a statement", answer(o -> o.calls().updateResult(1))),
            example("The equal results of three statements", run()),
            example(
                "The result of a statement that failed",
                answer(o ->
                    o.calls()
                        .updateThrown(
                            new Results.Failure(
                                "23505", 0, Results.Failure.Kind.CONSTRAINT, "duplicate key")))),
            example(
                "An answer of your own service with a result",
                answer(FormatDocumentTest::stockLeft)),
            example("An answer of the second stage of a pipeline, with its history", billed()))
        .collect(Collectors.joining("\n"));
  }

  /** The call was appended when the clock began; each step took a millisecond. */
  private static byte[] billed() {
    long[] nanos = {0};
    AppendClock clock = clock(nanos);
    byte[] message =
        statement(w -> w.calls().executeUpdate("insert into orders values (?, ?)", 7, "Ada"));
    for (String service : List.of("pricing", "billing")) {
      TestQueue queue = new TestQueue();
      try (Output<Results> output =
          new Output<>(RESULTS, queue.queue(), 0, queue.queue().appender(), clock)) {
        output.recordHistory(service, 1);
        nanos[0] += 1_000_000;
        Message read =
            RESULTS
                .reader("in", Results.class.cast(null), output, CompletableFuture::join)
                .peek(0, service.equals("pricing") ? 12_004 : 11_980, ByteBuffer.wrap(message));
        read.makeCurrent();
        output.calls().updateResult(1);
        nanos[0] += 1_000_000;
        output.performed();
        nanos[0] += 1_000_000;
        output.flush();
      } finally {
        Message.clear();
      }
      message = queue.appended.getFirst().bytes();
    }
    return message;
  }

  interface Stock {
    CompletableFuture<Integer> left(String item);
  }

  private static void stockLeft(Output<Results> output) {
    CallReader<Stock> reader =
        Protocol.of(Stock.class)
            .reader(
                "stock.in",
                _ -> {
                  output.calls().updateResult(1);
                  return CompletableFuture.completedFuture(7);
                },
                output,
                CompletableFuture::join);
    TestQueue queue = new TestQueue();
    try (Writer<Stock> writer = Protocol.of(Stock.class).writer(queue.queue())) {
      assertThat(writer.calls().left("tea")).isCompletedExceptionally();
    }
    byte[] call = queue.appended.getFirst().bytes();
    ByteBuffer.wrap(call)
        .putLong(3, ID.getMostSignificantBits())
        .putLong(11, ID.getLeastSignificantBits());
    reader.read(0, 12_004, ByteBuffer.wrap(call));
  }

  private static String example(String title, byte[] message) {
    return "### %s\n\n```\n%s\n```\n\n```\n%s\n```\n"
        .formatted(title, hexLines(message), Diagnostic.ofMessage(message));
  }

  private static String hexLines(byte[] bytes) {
    return IntStream.iterate(0, i -> i < bytes.length, i -> i + 32)
        .mapToObj(i -> Arrays.copyOfRange(bytes, i, Math.min(i + 32, bytes.length)))
        .map(HexFormat.of()::formatHex)
        .collect(Collectors.joining("\n"));
  }

  private static String values() {
    return Stream.<Object>of(
            null,
            true,
            7,
            -500,
            Long.MAX_VALUE,
            1.5f,
            0.1,
            new BigDecimal("9.90"),
            new BigDecimal("18446744073709551616"),
            "Ada",
            new byte[] {1, 2},
            LocalDate.of(2025, 6, 1),
            LocalTime.of(12, 0),
            LocalDateTime.of(2025, 6, 1, 12, 0, 0, 500_000_000),
            OffsetDateTime.parse("2025-06-01T12:00:00+02:00"),
            Instant.parse("2025-06-01T10:00:00.000001Z"),
            ID,
            new Json("{\"a\":1}"),
            List.of(7, "Ada"),
            new Customer(7, "Ada"),
            Customer.class)
        .map(FormatDocumentTest::value)
        .collect(Collectors.joining("\n", "| bytes | in diagnostic notation |\n|---|---|\n", "\n"));
  }

  private static String value(Object value) {
    byte[] message = statement(w -> w.calls().executeUpdate("", value));
    byte[] start = statement(w -> w.calls().executeUpdate("", (Object) null));
    byte[] item = Arrays.copyOfRange(message, start.length - 1, message.length);
    return "| `%s` | `%s` |".formatted(HexFormat.of().formatHex(item), Diagnostic.of(item));
  }

  @Test
  void theExamplesAreWhatIsWritten() {
    assertThat(document).endsWith("## Examples\n\n" + examples());
  }

  @Test
  void theFirstExampleIsTheOneThatTheClientInPythonMakes() {
    assertThat(document)
        .contains(
            "`statement(\"executeUpdate\", \"orders.place@1\", [7, \"Ada\"])` is the first example below")
        .contains("\"executeUpdate\", [\"orders.place@1\", [7, \"Ada\"]]]");
  }

  @Test
  void theValuesAreWhatIsWritten() {
    assertThat(document).contains("\n\n" + values() + "\n");
  }

  @Test
  void theLimitsAreThoseOfTheCode() {
    assertThat(document)
        .contains("| a message | %,d bytes |".formatted(1 << 20))
        .contains("| items of the outer array | %,d |".formatted(Cbor.MAX_ITEMS))
        .contains("| headers | %d |".formatted(Cbor.MAX_HEADERS))
        .contains("| `client`, `key` | %d bytes each |".formatted(Cbor.MAX_KEY_BYTES))
        .contains("| hops of `history` | %d |".formatted(History.MAX_HOPS))
        .contains("| name of a service in `history` | %d bytes |".formatted(Cbor.MAX_KEY_BYTES))
        .contains("| nested lists and maps | %d |".formatted(Cbor.MAX_DEPTH))
        .contains("| exponent of a decimal number | −%1$,d to %1$,d |".formatted(Cbor.MAX_EXPONENT))
        .contains("| digits of a decimal number | %,d bytes |".formatted(Cbor.MAX_UNSCALED_BYTES));
  }

  @Test
  void everyReasonIsExplained() {
    for (UndecodableReason reason : UndecodableReason.values()) {
      assertThat(document).contains("| `" + reason + "` |");
    }
  }

  @Test
  void theIdOfTheKeyInTheDocumentIsTheIdOfTheKey() {
    assertThat(document)
        .contains(
            "client `shop` and key `order 7` give `%s`"
                .formatted(Message.keyedId("shop", "order 7")));
  }

  @Test
  void theProgramForPythonWritesWhatIsReadAndReadsWhatIsWritten(@TempDir Path folder)
      throws Exception {
    String given = System.getenv("PYTHON_OF_TESTS"); // which must have it
    String python = given == null ? "python3" : given;
    assumeTrue(
        given != null || ChildProcess.tryRun(python, "-c", "import cbor2").isPresent(),
        "python3 has no module cbor2");
    byte[] answer = billed();
    Path program = folder.resolve("program.py");
    Files.writeString(
        program,
        Files.readString(Path.of("..", "examples", "python-client", "forebay_messages.py"))
            + "\nprint(statement('executeUpdate', 'insert', [7, 'Ä', 1.5, Decimal('9.90'),"
            + " date(2025, 6, 1), datetime(2025, 6, 1, 12, tzinfo=timezone.utc),"
            + " local_time(time(12, 30)), local_date_time(datetime(2025, 6, 1, 12, 30)),"
            + " json_text('{}'), None, True, b'\\x01', uuid.UUID(int=1)]).hex())\n"
            + "print(keyed_statement('shop', 'order 7', 'executeUpdate', 'delete', []).hex())\n"
            + "print(results(bytes.fromhex('%s')))\n".formatted(HexFormat.of().formatHex(answer))
            + "print(results(bytes.fromhex('%s')))\n".formatted(HexFormat.of().formatHex(run())));
    List<String> lines = ChildProcess.run(python, program.toString()).lines().toList();

    Recorder<Statements> recorder = new Recorder<>(Statements.class);
    CallReader<Statements> reader = STATEMENTS.reader("in", recorder.target());
    Message first = reader.read(0, 0, ByteBuffer.wrap(Foreign.hex(lines.get(0))));
    assertThat(first.id().version()).isEqualTo(7);
    assertThat(first.appendMicros() / 60_000_000)
        .isCloseTo(System.currentTimeMillis() / 60_000, Offset.offset(2L));
    assertThat(recorder.last().varargs())
        .usingRecursiveComparison()
        .isEqualTo(
            Arrays.asList(
                7L,
                "Ä",
                1.5,
                new BigDecimal("9.90"),
                LocalDate.of(2025, 6, 1),
                OffsetDateTime.parse("2025-06-01T12:00:00Z"),
                LocalTime.of(12, 30),
                LocalDateTime.of(2025, 6, 1, 12, 30),
                new Json("{}"),
                null,
                true,
                new byte[] {1},
                new UUID(0, 1)));
    Message second = reader.read(0, 1, ByteBuffer.wrap(Foreign.hex(lines.get(1))));
    assertThat(second.id()).isEqualTo(Message.keyedId("kafka:shop", "order 7"));
    assertThat(second.key()).isEqualTo("order 7");
    assertThat(lines.get(2)).isEqualTo("[('%s', 11980, [('updateResult', [1])])]".formatted(ID));
    assertThat(lines.get(3))
        .isEqualTo(
            "[('%s', 12004, [('updateResult', [1])]), ('%s', 12005, [('updateResult', [1])]), ('%s', 12006, [('updateResult', [1])])]"
                .formatted(
                    ID,
                    "01890a5d-ac96-774b-bcce-b302099a8058",
                    "01890a5d-ac96-774b-bcce-b302099a8059"));
  }

  /** Prints the generated parts of the document. */
  static void main() {
    System.out.println(values());
    System.out.println(examples());
  }
}
