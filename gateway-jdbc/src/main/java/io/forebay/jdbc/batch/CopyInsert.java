/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.sql.PlainInsert;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.PendingStatement;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.core.Oid;
import org.postgresql.util.ByteConverter;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Plain inserts on PostgreSQL as one {@code COPY … FROM STDIN} in binary. For thousands of rows it
 * takes half of the work of {@link ArrayInsert} for the server. Used only for plain tables ({@link
 * PlainTables}), and only for values that the column stores as they are: a COPY converts nothing.
 *
 * <p>Before the COPY it locks the table as an INSERT does, and then reads its columns and the
 * guard, and whether the statements still mean this table. No change of the table can be committed
 * between this and the end of the transaction.
 *
 * <p>The format is described in the documentation of PostgreSQL, COPY, "Binary Format".
 */
final class CopyInsert {

  private static final byte[] SIGNATURE = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0
  };

  /** How many bytes are collected before they are sent. */
  private static final int CHUNK = 64 << 10;

  private static final int NULL = -1;

  /** The context of an error, such as {@code COPY orders, line 17, column id}; in any language. */
  private static final Pattern LINE =
      Pattern.compile("COPY .*?, \\p{L}+ (\\d{1,9})\\b.*", Pattern.DOTALL);

  private static final int MAX_CONVERTED = 1_000;

  private final DatabaseSession session;

  /** The inserts of which a column would have to convert its values. */
  private final Set<Converted> converted = new HashSet<>();

  private record Converted(PlainInsert insert, List<Class<?>> types) {}

  CopyInsert(DatabaseSession session) {
    this.session = session;
  }

  /**
   * Inserts the rows, if the columns store the values as they are; otherwise inserts nothing and
   * returns false.
   *
   * @param types the class of the values of each column
   */
  boolean insert(
      PlainInsert insert, PlainTables.Plain table, List<PendingStatement> run, Class<?>[] types)
      throws SQLException {
    if (converted.contains(new Converted(insert, List.of(types)))) {
      return false;
    }
    session.prepare(locking(insert, table)).executeUpdate();
    Column[] columns = columns(insert, table, types);
    if (columns == null || !fit(run, columns)) {
      return false;
    }
    CopyIn copy =
        session
            .connection()
            .unwrap(PGConnection.class)
            .getCopyAPI()
            .copyIn(
                "copy %s (%s) from stdin (format binary)"
                    .formatted(table.name(), insert.columnList()));
    try {
      send(copy, run, columns);
      if (copy.endCopy() != run.size()) {
        throw new IllegalStateException(
            "COPY stored %,d rows of %,d".formatted(copy.getHandledRowCount(), run.size()));
      }
      return true;
    } finally {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    }
  }

  /**
   * The row at which PostgreSQL gave up a COPY, from 0: the first that failed, or a later one; -1
   * if the error does not say it.
   */
  static int failedRow(SQLException e) {
    ServerErrorMessage message = e instanceof PSQLException p ? p.getServerErrorMessage() : null;
    String where = message == null ? null : message.getWhere();
    Matcher line = LINE.matcher(where == null ? "" : where);
    return line.matches() ? Integer.parseInt(line.group(1)) - 1 : -1;
  }

  /** Inserts no row. It needs the same rights and takes the same lock as the INSERT itself. */
  private static String locking(PlainInsert insert, PlainTables.Plain table) {
    String nulls = insert.columns().stream().map(_ -> "null").collect(Collectors.joining(", "));
    return "insert into %s (%s) select %s where false"
        .formatted(table.name(), insert.columnList(), nulls);
  }

  /** How a column stores the values of its class. */
  private enum Column {
    INT8,
    INT4,
    INT2,
    FLOAT8,
    FLOAT4,
    TEXT,
    BOOL,
    NUMERIC,
    UUID;

    /** Null if a COPY would have to convert. */
    static @Nullable Column of(Class<?> type, long oid) {
      if (oid > Integer.MAX_VALUE) {
        return null; // a type of an extension
      }
      return switch ((int) oid) {
        case Oid.INT8 -> type == Long.class ? INT8 : null;
        case Oid.INT4 -> type == Long.class ? INT4 : null;
        case Oid.INT2 -> type == Long.class ? INT2 : null;
        case Oid.FLOAT8 -> type == Double.class ? FLOAT8 : null;
        case Oid.FLOAT4 -> type == Float.class ? FLOAT4 : null;
        case Oid.TEXT, Oid.VARCHAR -> type == String.class ? TEXT : null;
        case Oid.BOOL -> type == Boolean.class ? BOOL : null;
        case Oid.NUMERIC -> type == BigDecimal.class ? NUMERIC : null;
        case Oid.UUID -> type == UUID.class ? UUID : null;
        default -> null;
      };
    }

    boolean holds(@Nullable Object value) {
      return value == null
          || switch (this) {
            case INT4 -> (long) value == ((Long) value).intValue();
            case INT2 -> (long) value == ((Long) value).shortValue();
            default -> true;
          };
    }

    void write(DataOutputStream out, @Nullable Object value) throws IOException {
      if (value == null) {
        out.writeInt(NULL);
        return;
      }
      switch (this) {
        case INT8 -> {
          out.writeInt(Long.BYTES);
          out.writeLong((long) value);
        }
        case INT4 -> {
          out.writeInt(Integer.BYTES);
          out.writeInt(((Long) value).intValue());
        }
        case INT2 -> {
          out.writeInt(Short.BYTES);
          out.writeShort(((Long) value).intValue());
        }
        case FLOAT8 -> {
          out.writeInt(Double.BYTES);
          out.writeDouble((double) value);
        }
        case FLOAT4 -> {
          out.writeInt(Float.BYTES);
          out.writeFloat((float) value);
        }
        case TEXT -> bytes(out, ((String) value).getBytes(StandardCharsets.UTF_8));
        case BOOL -> {
          out.writeInt(1);
          out.writeBoolean((boolean) value);
        }
        case NUMERIC -> bytes(out, ByteConverter.numeric((BigDecimal) value));
        case UUID -> {
          UUID uuid = (UUID) value;
          out.writeInt(2 * Long.BYTES);
          out.writeLong(uuid.getMostSignificantBits());
          out.writeLong(uuid.getLeastSignificantBits());
        }
      }
    }

    private static void bytes(DataOutputStream out, byte[] bytes) throws IOException {
      out.writeInt(bytes.length);
      out.write(bytes);
    }
  }

  /**
   * Reads the columns of the locked table.
   *
   * @return null if the guard does not hold, the statements now mean another table, or a column
   *     does not store its values as they are
   */
  private Column @Nullable [] columns(PlainInsert insert, PlainTables.Plain table, Class<?>[] types)
      throws SQLException {
    String names =
        insert.columns().stream()
            .map(name -> "'" + quoted(name) + "'")
            .collect(Collectors.joining(", "));
    // An identity column that is always generated takes no value from an INSERT, but from a COPY.
    PreparedStatement select =
        session.prepare(
            """
            select case when a.attidentity = '' and a.attgenerated = '' then a.atttypid end,
              %1$s and pg_catalog.to_regclass('%2$s') = '%3$s'::pg_catalog.regclass
            from unnest(array[%4$s]) with ordinality as written (name, place)
            left join pg_catalog.pg_attribute a
              on a.attrelid = '%3$s'::pg_catalog.regclass and a.attnum > 0 and not a.attisdropped
                and a.attname = (pg_catalog.parse_ident(written.name))[1]
            order by written.place
            """
                .formatted(table.guard(), quoted(insert.table()), quoted(table.name()), names));
    Column[] columns = new Column[types.length];
    try (ResultSet rows = select.executeQuery()) {
      for (int i = 0; rows.next(); i++) {
        Column column = Column.of(types[i], rows.getLong(1));
        if (column == null && converted.size() < MAX_CONVERTED) {
          converted.add(new Converted(insert, List.of(types)));
        }
        if (column == null || !rows.getBoolean(2)) {
          return null;
        }
        columns[i] = column;
      }
    }
    return columns;
  }

  private static String quoted(String text) {
    return text.replace("'", "''");
  }

  private static boolean fit(List<PendingStatement> run, Column[] columns) {
    for (PendingStatement statement : run) {
      for (int i = 0; i < columns.length; i++) {
        if (!columns[i].holds(statement.args[i])) {
          return false;
        }
      }
    }
    return true;
  }

  private static void send(CopyIn copy, List<PendingStatement> run, Column[] columns)
      throws SQLException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(CHUNK + (CHUNK >> 2));
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.write(SIGNATURE);
      out.writeInt(0); // flags
      out.writeInt(0); // the length of an extension
      for (PendingStatement statement : run) {
        out.writeShort(columns.length);
        for (int i = 0; i < columns.length; i++) {
          columns[i].write(out, statement.args[i]);
        }
        if (bytes.size() >= CHUNK) {
          send(copy, bytes);
        }
      }
      out.writeShort(NULL);
      send(copy, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
  }

  private static void send(CopyIn copy, ByteArrayOutputStream bytes) throws SQLException {
    byte[] content = bytes.toByteArray();
    copy.writeToCopy(content, 0, content.length);
    bytes.reset();
  }
}
