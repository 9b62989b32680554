/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.Call;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.Appender;
import io.forebay.queue.ErrorsInThreads;
import io.forebay.queue.LateAcknowledgements;
import io.forebay.queue.QueueRefused;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Keys, acceptance and giving up; the rest is in {@link GatewayContract}. */
class StatementClientTest extends GatewayFixture {

  private static final String INSERT = "insert into item (id) values (?)";

  private final ErrorsInThreads errors = new ErrorsInThreads("forebay-shop.out-client");
  private final LateAcknowledgements late = new LateAcknowledgements();

  @Override
  void createTables() throws SQLException {
    database.createTable("item", "id bigint");
  }

  @Override
  JDBCService.Builder builder() {
    return super.builder().queues(late.over(errors.over(backend)), 1);
  }

  @Test
  void aKeyHasOneEffectAndTheSameResultEachTime() throws Exception {
    Pending<Long> first = client.keyed("web", "order-1").executeUpdate(INSERT, 1L);
    Pending<Long> again = client.keyed("web", "order-1").executeUpdate(INSERT, 1L);

    assertThat(get(first)).isEqualTo(1);
    assertThat(get(again)).isEqualTo(1);
    assertThat(again.receipt().id()).isEqualTo(first.receipt().id());
    assertThat(database.rows("select id from item")).hasSize(1);
  }

  @Test
  void bothRequestsOfAKeyGetTheAnswerThatIsTheirs() throws Exception {
    pause(service, "so that both wait at the same time");
    Pending<Long> first = client.keyed("web", "order-1").executeUpdate(INSERT, 1L);
    Pending<Long> other = client.keyed("web", "order-1").executeUpdate(INSERT, 2L);
    service.resume();

    assertThat(get(first)).isEqualTo(1);
    assertThatThrownBy(() -> get(other))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .asInstanceOf(type(SqlFailed.class))
        .extracting(failed -> failed.failure().kind())
        .isEqualTo(SqlFailure.Kind.KEY_REUSED);
  }

  @Test
  void theSameKeyOfAnotherClientIsAnotherKey() throws Exception {
    get(client.keyed("web", "order-1").executeUpdate(INSERT, 1L));
    get(client.keyed("batch", "order-1").executeUpdate(INSERT, 1L));

    assertThat(database.rows("select id from item")).hasSize(2);
  }

  @Test
  void aTimeOfAnyYearLeavesNoKeyBehindForTheNextStatement() throws Exception {
    StatementClient.Statements keyed = client.keyed("web", "order-1");
    assertThat(get(keyed.deliverBy(Instant.MAX).executeUpdate(INSERT, 1L))).isEqualTo(1);
    assertThat(get(keyed.deliverBy(Instant.MIN).executeUpdate(INSERT, 1L))).isEqualTo(1);
    assertThat(get(client.executeUpdate(INSERT, 2L))).isEqualTo(1);
    assertThat(database.rows("select id from item")).hasSize(2);
  }

  @Test
  void whoGivesUpWaitingHasTheStatementPerformedNevertheless() throws Exception {
    pause(service, "so that the first is still unanswered");
    Pending<Long> first = client.executeUpdate(INSERT, 1L);
    Pending<List<Long>> second = client.executeTogether(List.of(Call.of(INSERT, 2L)));
    first.awaitAccepted(Duration.ofSeconds(120));
    assertThat(first.cancel(false)).isTrue();
    assertThat(first.isCancelled()).isTrue();
    assertThat(client.outstanding()).isEqualTo(1);
    service.resume();

    assertThat(get(second)).containsExactly(1L);
    assertThatThrownBy(() -> get(first)).isInstanceOf(CancellationException.class);
    await().untilAsserted(() -> assertThat(database.rows("select id from item")).hasSize(2));
  }

  @Test
  void anErrorWhileResultsAreReadFailsThoseThatWaitAndTheNextOnesAreAnswered() throws Exception {
    pause(service, "so that the first is still unanswered");
    Pending<Long> first = client.executeUpdate(INSERT, 1L);
    errors.next(new NoClassDefFoundError("for a test"));

    assertThatThrownBy(() -> get(first)).hasMessageContaining("get it by its receipt");
    service.resume();
    await()
        .untilAsserted(
            () -> assertThat(get(client.executeUpdate("update item set id = id"))).isEqualTo(1));
  }

  @Test
  void aResultThatCannotBeReadLeavesNobodyWaiting() throws Exception {
    pause(service, "so that the first is still unanswered");
    Pending<Long> first = client.executeUpdate(INSERT, 1L);
    try (Appender appender = service.out().appender()) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    assertThatThrownBy(() -> get(first)).isInstanceOf(ExecutionException.class);
  }

  @Test
  void aStatementAfterTheEndIsRefusedBecauseItIsClosed() {
    client.close();
    assertThatThrownBy(() -> client.executeUpdate(INSERT, 1L))
        .asInstanceOf(type(QueueRefused.class))
        .extracting(QueueRefused::reason)
        .isEqualTo(QueueRefused.Reason.CLOSED);
  }

  @Test
  void whoWaitsNoLongerStillLearnsWhereTheStatementIs() throws Exception {
    late.hold();
    Pending<Long> waiting = client.executeUpdate(INSERT, 1L);
    waiting.orTimeout(1, TimeUnit.MILLISECONDS);
    assertThatThrownBy(() -> get(waiting)).hasCauseInstanceOf(TimeoutException.class);
    assertThat(waiting.receiptIfKnown()).isEmpty();
    late.release();

    waiting.awaitAccepted(Duration.ofSeconds(120));
    assertThat(waiting.receipt().position()).isZero();
  }

  @Test
  void resultsThatComeBeforeTheirStatementsAreAcknowledgedAreNotLost() throws Exception {
    late.hold();
    Pending<Long> first = client.keyed("web", "order-1").executeUpdate(INSERT, 1L);
    Pending<Long> other = client.keyed("web", "order-1").executeUpdate(INSERT, 2L);
    Pending<Long> last = client.executeUpdate(INSERT, 3L);
    await().until(() -> service.position(0) == 3);
    late.release();

    assertThat(get(first)).isEqualTo(1);
    assertThatThrownBy(() -> get(other)).hasCauseInstanceOf(SqlFailed.class);
    assertThat(get(last)).isEqualTo(1);
    assertThat(last.receipt().position()).isEqualTo(2);
  }
}
