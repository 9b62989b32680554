/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.trace.MicrometerTracing;
import io.forebay.trace.Tracing;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.nio.ByteBuffer;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Calls and messages without a queue, beside hand-written code for exactly this statement. Public
 * for the code that JMH generates.
 */
@State(Scope.Thread)
public class CallOperations {

  private static final int MOST_BYTES = 1_000;

  /** A call without arguments. */
  interface Signal {
    void signal();
  }

  private final SampleStatement statement = new SampleStatement();
  private final Protocol<JDBCStatement> statements = Protocol.of(JDBCStatement.class);
  private final Writer<JDBCStatement> writer = new DiscardingAppender().writer(statements);
  private final Writer<JDBCStatement> unsampled =
      new DiscardingAppender().writer(statements.traced(inUnsampledSpan()));
  private final Bytes<?> encoded = Bytes.allocateDirect(MOST_BYTES);

  private final ByteBuffer message =
      DiscardingAppender.message(JDBCStatement.class, statement::call);
  private final CallReader<JDBCStatement> reader = statements.reader("jmh", new KeepingLast());
  private final Bytes<?> columns = Bytes.allocateDirect(MOST_BYTES);

  private final ByteBuffer signal = DiscardingAppender.message(Signal.class, Signal::signal);
  private final Signal component = new Counting();
  private final CallReader<Signal> signals = Protocol.of(Signal.class).reader("jmh", component);

  /** Creates the state of a thread. */
  public CallOperations() {
    encoded.singleThreadedCheckDisabled(true);
    columns.singleThreadedCheckDisabled(true);
    statement.write(columns);
  }

  /** Makes a span current on this thread that is not sampled, as most spans are. */
  private static Tracing inUnsampledSpan() {
    SdkTracerProvider spans = SdkTracerProvider.builder().setSampler(Sampler.alwaysOff()).build();
    Tracer tracer = new OtelTracer(spans.get("jmh"), new OtelCurrentTraceContext(), _ -> {});
    tracer.withSpan(tracer.nextSpan().start());
    return new MicrometerTracing(tracer);
  }

  /** Encodes a call. */
  @Benchmark
  public long encode() {
    statement.call(writer.calls());
    return writer.lastTicket();
  }

  /** Encodes a call in a span that is not sampled. */
  @Benchmark
  public long encodeUnsampled() {
    statement.call(unsampled.calls());
    return unsampled.lastTicket();
  }

  /** Writes the columns. */
  @Benchmark
  public long bareEncode() {
    encoded.clear();
    statement.write(encoded);
    return encoded.writePosition();
  }

  /** Decodes a call and makes it; the component keeps the arguments. */
  @Benchmark
  public Message decode() {
    return reader.read(0, 0, message);
  }

  /** Reads the columns. */
  @Benchmark
  public void bareDecode(Blackhole blackhole) {
    columns.readPosition(0);
    blackhole.consume(columns.readLong());
    blackhole.consume(columns.readDouble());
    blackhole.consume(columns.read8bit());
  }

  /** Makes the call of a message that has nothing else to decode but its envelope. */
  @Benchmark
  public Message dispatch() {
    return signals.read(0, 0, signal);
  }

  /** Makes a call directly. */
  @Benchmark
  public void bareDispatch() {
    component.signal();
  }

  private static final class Counting implements Signal {

    private long count;

    @Override
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public void signal() {
      count++;
    }
  }

  private static final class KeepingLast implements JDBCStatement {

    private @Nullable Object last;

    @Override
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public void executeUpdate(String query, @Nullable Object... args) {
      last = args;
    }

    @Override
    public void executeQuery(String query, Class<?> resultType, @Nullable Object... args) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void executeTogether(List<Call> calls) {
      throw new UnsupportedOperationException();
    }
  }
}
