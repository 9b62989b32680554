/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.call.value.Aliases;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

class ProtocolTest {

  interface Wrong {
    void overloaded(int a);

    void overloaded(long a);

    int returns();

    void dated(String a, Date b);

    void nested(List<Map<String, SortedMap<String, String>>> a);

    void array(char[] a);

    void keyed(Map<Object, String> a, Set<byte[]> b);

    void holds(Holder a);

    record Holder(String fine, Thread wrong) {}
  }

  sealed interface Sealed permits Only {
    void call();
  }

  record Only() implements Sealed {
    @Override
    public void call() {}
  }

  interface Empty {
    default void none() {}
  }

  interface Left {
    void same(String value);
  }

  interface General<V> {
    void narrowed(V value);
  }

  interface Right {
    void same(String value);

    void other();
  }

  interface Both extends Left, Right, General<String> {
    @Override
    void narrowed(String value);

    @Override
    boolean equals(Object other);

    @Override
    String toString();
  }

  /** Public, so that another class loader's copy can be called from here. */
  public interface Foreign {
    void call(String text, long number);
  }

  record Unfit(Object lock, Runnable action) {}

  @Test
  void allViolationsAreReportedAtOnce() {
    assertThatThrownBy(() -> Protocol.of(Wrong.class, Aliases.none().with("unfit", Unfit.class)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Wrong cannot be the interface of a service:")
        .hasMessageContaining("method overloaded is overloaded; names must be unique")
        .hasMessageContaining("method returns returns int (allowed: void, CompletableFuture<…>)")
        .hasMessageContaining("parameter 2 of method dated is java.util.Date")
        .hasMessageContaining("parameter 1 of method nested, its values is java.util.SortedMap")
        .hasMessageContaining("parameter 1 of method array is char")
        .hasMessageContaining("parameter 1 of method keyed, its keys is java.lang.Object, which")
        .hasMessageContaining("parameter 2 of method keyed, its elements is byte[], which")
        .hasMessageContaining("parameter 1 of method holds, Holder.wrong is java.lang.Thread")
        .hasMessageContaining("alias 'unfit', Unfit.action is java.lang.Runnable")
        .hasMessageContaining("allowed: boolean, byte")
        .satisfies(e -> assertThat(e.getMessage().split("\n  - ")).hasSize(10));
  }

  @Test
  void onlyAnOpenInterfaceWithMethodsIsAccepted() {
    assertThatThrownBy(() -> Protocol.of(String.class)).hasMessageContaining("not an interface");
    assertThatThrownBy(() -> Protocol.of(Override.class)).hasMessageContaining("not an interface");
    assertThatThrownBy(() -> Protocol.of(Sealed.class)).hasMessageContaining("it is sealed");
    assertThatThrownBy(() -> Protocol.of(Empty.class)).hasMessageContaining("no abstract method");
    assertThatThrownBy(() -> Protocol.of(Flow.Subscription.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("its package is not open");
  }

  @Test
  void aMethodThatIsInheritedTwiceIsOneMethodAndThoseOfObjectAreNone() {
    Protocol<Both> protocol = Protocol.of(Both.class);
    TestQueue queue = new TestQueue();
    Recorder<Both> recorder = new Recorder<>(Both.class);
    try (Writer<Both> writer = protocol.writer(queue.queue())) {
      writer.calls().same("a");
      writer.calls().other();
      writer.calls().narrowed("b");
      assertThat(writer.calls()).isEqualTo(writer.calls());
    }
    CallReader<Both> reader = protocol.reader("test", recorder.target());
    queue.appended.forEach(m -> reader.read(0, 0, ByteBuffer.wrap(m.bytes())));
    assertThat(recorder.calls())
        .extracting(Recorder.Call::method)
        .isEqualTo(List.of("same", "other", "narrowed"));
  }

  interface Pairs {
    void one(int number);

    default void two(int number) {
      one(number);
      one(number + 1);
    }
  }

  @Test
  void aDefaultMethodRunsWhereItIsCalledAndSendsTheCallsThatItMakes() {
    TestQueue queue = new TestQueue();
    try (Writer<Pairs> writer = Protocol.of(Pairs.class).writer(queue.queue())) {
      writer.calls().two(5);
    }
    assertThat(queue.appended).hasSize(2);
  }

  record Parcel(int grams) {}

  interface Parcels extends General<Parcel> {}

  interface DeclaredParcels extends General<Parcel> {
    @Override
    void narrowed(Parcel value);
  }

  @Test
  void aTypeParameterIsItsBoundUnlessTheMethodIsDeclaredAgain() {
    TestQueue queue = new TestQueue();
    try (Writer<Parcels> writer = Protocol.of(Parcels.class).writer(queue.queue())) {
      assertThatThrownBy(() -> writer.calls().narrowed(new Parcel(7)))
          .hasMessageContaining("Parcel, which has no alias");
    }
    try (Writer<DeclaredParcels> writer =
        Protocol.of(DeclaredParcels.class).writer(queue.queue())) {
      writer.calls().narrowed(new Parcel(7));
    }
    assertThat(queue.appended).hasSize(1);
  }

  @Test
  void theProtocolMayComeFromAClassLoaderThatDoesNotKnowThisPackage() throws Exception {
    Class<?> foreign = new Alone().loadClass(Foreign.class.getName());
    assertThat(foreign).isNotSameAs(Foreign.class);
    TestQueue queue = new TestQueue();
    Method call = foreign.getMethod("call", String.class, long.class);
    try (Writer<?> writer = Protocol.of(foreign).writer(queue.queue())) {
      call.invoke(writer.calls(), "text", 5L);
    }
    Recorder<Foreign> recorder = new Recorder<>(Foreign.class);
    Protocol.of(Foreign.class)
        .reader("test", recorder.target())
        .read(0, 0, ByteBuffer.wrap(queue.appended.getFirst().bytes()));
    assertThat(recorder.last().arguments()).isEqualTo(List.of("text", 5L));
  }

  @Test
  void anAliasIsForOneClassAndAClassHasOneAlias() {
    Aliases aliases = Aliases.none().with("a", String.class);
    assertThatThrownBy(() -> aliases.with("a", Long.class)).hasMessageContaining("'a'");
    assertThatThrownBy(() -> aliases.with("b", String.class)).hasMessageContaining("as 'a'");
    assertThatThrownBy(() -> aliases.with(" ", Long.class)).hasMessageContaining("is blank");
    assertThatThrownBy(() -> aliases.with("\ud800", Long.class)).hasMessageContaining("surrogate");
    assertThat(Aliases.none().types()).isEmpty();
  }

  /** Knows the JDK and {@link Foreign}. */
  private static final class Alone extends ClassLoader {

    Alone() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (!name.equals(Foreign.class.getName()) && !name.equals(ProtocolTest.class.getName())) {
        throw new ClassNotFoundException(name);
      }
      try (InputStream in =
          ProtocolTest.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
