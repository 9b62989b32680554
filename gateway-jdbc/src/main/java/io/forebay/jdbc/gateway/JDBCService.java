/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.call.value.Aliases;
import io.forebay.database.SqlErrors;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceQueues;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Results;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.batch.LockHolders;
import io.forebay.jdbc.lane.Lane;
import io.forebay.jdbc.lane.Share;
import io.forebay.jdbc.ledger.GatewayDatabase;
import io.forebay.jdbc.ledger.KeyedResults;
import io.forebay.jdbc.ledger.ProgressRows;
import io.forebay.jdbc.sql.StatementCheck;
import io.forebay.jdbc.statement.GatewayClock;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.Quarantine;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.operations.LockHolder;
import io.forebay.operations.StatementCounts;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.errors.BlockedMessages;
import io.forebay.service.errors.BlockingMessage;
import io.forebay.service.progress.Unavailable;
import io.forebay.trace.Tracing;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A JDBC gateway: statements are appended to its in-queue, performed on a database in batches, and
 * answered in its out-queue.
 *
 * <p>Every statement that the queue has acknowledged is performed exactly once, or fails with a
 * reason, and has exactly one result. This also holds if the process is killed at any moment, if
 * the answer to a COMMIT is lost, or if another instance takes over. Within a partition, effects
 * and results have the order of acceptance. The gateway keeps its progress in the schema {@code
 * forebay} of the same database.
 *
 * <p>Thread-safe. The javadoc of the writers, readers and clients says whether they are.
 */
public final class JDBCService extends HostedService<JDBCStatement, JDBCResult> {

  /** The name of {@link Row} in messages. */
  private static final String ROW = "row";

  /** How much longer than results keys are kept, so that late retries are recognized. */
  private static final Duration KEYS_KEPT_LONGER = Duration.ofHours(24);

  /** That of this process. */
  private static final Quarantine QUARANTINE = new Quarantine();

  private final GatewaySettings settings;
  private final GatewayDatabase database;
  private final ProgressRows progress;
  private final LockHolders locks;
  private final @Nullable Lane lane;

  private JDBCService(
      Builder builder, ServiceQueues queues, GatewayDatabase database, GatewaySettings settings) {
    ProgressRows progress = new ProgressRows(builder.name, database, queues.in());
    LockHolders locks = new LockHolders(database);
    super(
        new Service<>(
            builder.name,
            new Service.End<>(queues.in(), protocol(builder, JDBCStatement.class)),
            new Service.End<>(queues.out(), protocol(builder, JDBCResult.class)),
            new GatewayComponents(
                settings, database, queues.in(), progress, locks, builder.tracing),
            builder.options),
        builder.source);
    this.settings = settings;
    this.database = database;
    this.progress = progress;
    this.locks = locks;
    this.lane = builder.lane;
  }

  private static <T> Protocol<T> protocol(Builder builder, Class<T> type) {
    return Protocol.of(type, builder.aliases).traced(builder.tracing);
  }

  /**
   * @param name the name of its queues ({@code <name>.in}, {@code <name>.out}), threads and
   *     progress rows; it must not change while the data exists
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  @Override
  protected boolean performsStreams() {
    return source().isEmpty();
  }

  @Override
  public boolean usesDatabase() {
    return true;
  }

  @Override
  public StatementCounts statementTimes() {
    return settings.texts().times().read();
  }

  @Override
  protected long failed() {
    return settings.failed().sum();
  }

  @Override
  protected long lostNanos() {
    return settings.texts().times().lostNanos();
  }

  @Override
  protected @Nullable BlockingMessage waitsFor(int partition) {
    return settings.blocked().message(partition);
  }

  @Override
  protected Optional<LockHolder> lockHolder() {
    return locks.holder();
  }

  @Override
  public boolean failMessage(int partition, long position, String reason) {
    return settings.blocked().fail(partition, position, reason);
  }

  /**
   * The position before which all statements of a partition are performed and answered, by whatever
   * instance, as its progress row said recently; 0 if that is not known.
   */
  public long answeredByAny(int partition) {
    return progress.answered(partition);
  }

  /** The lane that it is, if it is a lane of a gateway. */
  public Optional<Lane> lane() {
    return Optional.ofNullable(lane);
  }

  /**
   * Whether its statements may carry SQL text. If not, they must reference statements of the
   * catalogue, and a statement with SQL text fails with kind UNSUPPORTED and SQLState 42501.
   */
  public boolean acceptsText() {
    return texts().acceptsText();
  }

  /**
   * A client that returns a future for each statement. With {@link Results#FAILURES_ONLY}, the
   * future of an update completes only if the update fails: cancel it after its acceptance.
   */
  public StatementClient createClient() {
    return createClient(StatementClient.DEFAULT_MAX_OUTSTANDING);
  }

  /**
   * @param maxOutstanding the maximum number of unanswered statements; further ones are refused
   */
  public StatementClient createClient(int maxOutstanding) {
    return new StatementClient(this, service().out().protocol(), maxOutstanding);
  }

  @Override
  public JDBCStatement calls(Writer<JDBCStatement> writer) {
    return new SharedStatement(this, writer);
  }

  /** Appends streams of statements. Close it before the service. */
  public StreamWriter createStreamWriter() {
    return new StreamWriter(this);
  }

  /** The results of statements with an idempotency key. Close it before the database. */
  public KeyedResults createKeyedResults() {
    return new KeyedResults(name(), database);
  }

  /**
   * Checks whether the database would perform these texts with the role of the gateway; performs
   * nothing.
   *
   * @return the failure of each text that it would reject
   * @throws Unavailable if the database does not respond, or has not responded since the service
   *     was started
   */
  public Map<String, SqlFailure> check(Collection<String> sqlTexts) {
    if (!database.isReady()) {
      throw new Unavailable("the database has not responded yet", null);
    }
    try (Connection connection = database.dataSource().getConnection()) {
      return StatementCheck.check(connection, sqlTexts);
    } catch (SQLException e) {
      throw new Unavailable(SqlErrors.told(e), e);
    }
  }

  public GatewayDatabase database() {
    return database;
  }

  /** Whether the out-queue gets a result of each statement. */
  public boolean keepsAllResults() {
    return settings.results().keepsAll();
  }

  @Override
  protected boolean answersInRuns() {
    return settings.results().isInRuns();
  }

  StatementTexts texts() {
    return settings.texts();
  }

  Protocol<JDBCStatement> statements() {
    return service().in().protocol();
  }

  @Override
  public void close() {
    try (progress) {
      super.close();
    }
  }

  /** Collects what a gateway needs. For one thread. */
  public static final class Builder {

    private final String name;
    private @Nullable QueueBackend backend;
    private int partitions = 1;
    private @Nullable HostedService<?, JDBCStatement> source;
    private @Nullable DataSource dataSource;
    private @Nullable DataSource owner;
    private Duration statementTimeout = GatewaySettings.DEFAULT_STATEMENT_TIMEOUT;
    private Duration resultsKept = Duration.ofHours(72);
    private ServiceOptions options = ServiceOptions.defaults();
    private Results results = Results.ALL;
    private int tries = GatewaySettings.DEFAULT_TRIES;
    private GatewayClock clock = GatewayClock.SYSTEM;
    private Tracing tracing = Tracing.NONE;
    private boolean prepared;
    private Quarantine quarantine = QUARANTINE;
    private @Nullable Boolean acceptText;
    private StatementCatalogue catalogue = StatementCatalogue.NONE;
    private @Nullable Lane lane;
    private @Nullable Share share;
    private Aliases aliases = Aliases.none().with(ROW, Row.class);

    private Builder(String name) {
      this.name = name;
    }

    /** The backend of its queues, and the number of partitions of queues that it creates. */
    public Builder queues(QueueBackend where, int partitionCount) {
      backend = where;
      partitions = partitionCount;
      return this;
    }

    /**
     * Makes it the next stage of a pipeline: it performs the statements that another service
     * answers with, and nothing else can call it. It reads that service's out-queue. The statements
     * of one message are performed in one transaction, and each has its own result.
     *
     * @param where the backend of its out-queue
     * @param before the service; it starts this one before itself. Close it later
     */
    public Builder from(QueueBackend where, HostedService<?, JDBCStatement> before) {
      backend = where;
      source = before;
      return this;
    }

    /**
     * Connects to the target database, as a role that owns nothing. Uses one connection per
     * partition.
     */
    public Builder dataSource(DataSource gateway) {
      dataSource = gateway;
      return this;
    }

    /** Connects as the role that owns schema forebay, to create, update and check its tables. */
    public Builder migrate(DataSource schemaOwner) {
      owner = schemaOwner;
      return this;
    }

    /**
     * How long a statement may run, at least 1 s; default 30 s. A longer one fails with kind
     * TIMEOUT. HSQLDB checks the time only occasionally, so a long computation may exceed it.
     */
    public Builder statementTimeout(Duration value) {
      if (value.toSeconds() < 1) {
        throw new IllegalArgumentException("statementTimeout is " + value + ", minimum 1 s");
      }
      statementTimeout = value;
      return this;
    }

    /**
     * The minimum time for which results are kept; default 72 h. A queue in memory may delete them
     * earlier. A registered consumer of results that was not seen for that long is removed.
     */
    public Builder resultsKept(Duration value) {
      resultsKept = value;
      return this;
    }

    public Builder options(ServiceOptions value) {
      options = value;
      return this;
    }

    /** Records spans of its statements, and adds traces to what its callers send. */
    public Builder tracing(Tracing value) {
      tracing = value;
      return this;
    }

    Builder clock(GatewayClock value) {
      clock = value;
      return this;
    }

    /** The tables of the ledger exist, and need not be checked. */
    Builder prepared() {
      prepared = true;
      return this;
    }

    /** That of a simulated process. */
    Builder quarantine(Quarantine value) {
      quarantine = value;
      return this;
    }

    /**
     * The maximum number of attempts for a statement that fails with a transient error, such as a
     * deadlock or a lock time-out, while the database performs other statements; then it is
     * answered as failed. Default 30, which takes some minutes. Attempts do not count while the
     * database performs no other statements.
     */
    public Builder tries(int value) {
      if (value < 1) {
        throw new IllegalArgumentException("tries is " + value + ", minimum 1");
      }
      tries = value;
      return this;
    }

    /** Which results it appends to its out-queue; default all. */
    public Builder results(Results value) {
      results = value;
      return this;
    }

    /**
     * Whether statements may carry SQL text. Default true, but false if other processes can write
     * to the queues, as on Kafka: they could run any SQL that the gateway's role permits. If false,
     * only statements of the {@link #catalogue} are performed.
     */
    public Builder acceptText(boolean value) {
      acceptText = value;
      return this;
    }

    /**
     * The statements that messages may reference; default none. The gateway may reorder those that
     * are independent, so that it can perform equal ones together.
     */
    public Builder catalogue(StatementCatalogue value) {
      catalogue = value;
      return this;
    }

    /**
     * Makes it a lane of a gateway, whose statements of the catalogue it performs. Its name must be
     * {@link Lane#service()}.
     */
    public Builder lane(Lane value) {
      if (!value.service().equals(name)) {
        throw new IllegalArgumentException(
            "the service of lane %s is %s, not %s".formatted(value.name(), value.service(), name));
      }
      lane = value;
      return this;
    }

    /** Its share of the database among the lanes of a gateway; default all of it. */
    public Builder share(Share value) {
      share = value;
      return this;
    }

    /** The record types that queries may return, by their names in messages. */
    public Builder records(Aliases recordTypes) {
      aliases = recordTypes.with(ROW, Row.class);
      return this;
    }

    /** Opens the queues; performs nothing before {@link JDBCService#start}. */
    public JDBCService build() {
      QueueBackend queueBackend =
          Objects.requireNonNull(backend, "queues(…) or from(…) was not called");
      DataSource target = Objects.requireNonNull(dataSource, "dataSource(…) was not called");
      DataSource schemaOwner = Objects.requireNonNull(owner, "migrate(…) was not called");
      boolean textAccepted = acceptText == null ? !queueBackend.isShared() : acceptText;
      ServiceQueues queues =
          ServiceQueues.open(queueBackend, name, partitions, resultsKept, source);
      MessageQueue in = queues.in();
      GatewayDatabase database =
          new GatewayDatabase(target, schemaOwner, () -> in.capabilities().strongest());
      if (prepared) {
        database.prepared();
      }
      return new JDBCService(
          this,
          queues,
          database,
          new GatewaySettings(
              name,
              new StatementTexts(lane == null ? name : lane.gateway(), textAccepted, catalogue),
              statementTimeout,
              resultsKept.plus(KEYS_KEPT_LONGER),
              resultsKept,
              results,
              new LongAdder(),
              tries,
              new BlockedMessages(),
              quarantine,
              clock,
              partition -> in.stats(partition).end(),
              share));
    }
  }
}
