/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.sql.PlainInsert;
import io.forebay.jdbc.statement.DatabaseSession;
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

  /** The length of a type whose values say their own. */
  private static final int VARIABLE = 0;

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
      PlainInsert insert, PlainTables.Plain table, List<@Nullable Object[]> rows, Class<?>[] types)
      throws SQLException {
    if (converted.contains(new Converted(insert, List.of(types)))) {
      return false;
    }
    Column[] columns = lock(insert, table, types);
    if (columns == null || !fit(rows, columns)) {
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
      send(copy, rows, columns);
      if (copy.endCopy() != rows.size()) {
        throw new IllegalStateException(
            "COPY stored %,d rows of %,d".formatted(copy.getHandledRowCount(), rows.size()));
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

  /** A type of a column, and the class of the values that it stores as they are. */
  private enum Column {
    INT8(Oid.INT8, Long.class, Long.BYTES),
    INT4(Oid.INT4, Long.class, Integer.BYTES),
    INT2(Oid.INT2, Long.class, Short.BYTES),
    FLOAT8(Oid.FLOAT8, Double.class, Double.BYTES),
    FLOAT4(Oid.FLOAT4, Float.class, Float.BYTES),
    BOOL(Oid.BOOL, Boolean.class, 1),
    UUID(Oid.UUID, UUID.class, 2 * Long.BYTES),
    TEXT(Oid.TEXT, String.class, VARIABLE),
    VARCHAR(Oid.VARCHAR, String.class, VARIABLE),
    NUMERIC(Oid.NUMERIC, BigDecimal.class, VARIABLE);

    private final long oid;
    private final Class<?> type;
    private final int bytes;

    Column(long oid, Class<?> type, int bytes) {
      this.oid = oid;
      this.type = type;
      this.bytes = bytes;
    }

    /** Null if a COPY would have to convert. */
    static @Nullable Column of(Class<?> type, long oid) {
      for (Column column : values()) {
        if (column.oid == oid && column.type == type) {
          return column;
        }
      }
      return null;
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
      if (bytes != VARIABLE) {
        out.writeInt(bytes);
      }
      switch (this) {
        case INT8 -> out.writeLong((long) value);
        case INT4 -> out.writeInt(((Long) value).intValue());
        case INT2 -> out.writeShort(((Long) value).intValue());
        case FLOAT8 -> out.writeDouble((double) value);
        case FLOAT4 -> out.writeFloat((float) value);
        case BOOL -> out.writeBoolean((boolean) value);
        case UUID -> {
          out.writeLong(((UUID) value).getMostSignificantBits());
          out.writeLong(((UUID) value).getLeastSignificantBits());
        }
        case TEXT, VARCHAR -> write(out, ((String) value).getBytes(StandardCharsets.UTF_8));
        case NUMERIC -> write(out, ByteConverter.numeric((BigDecimal) value));
      }
    }

    private static void write(DataOutputStream out, byte[] bytes) throws IOException {
      out.writeInt(bytes.length);
      out.write(bytes);
    }
  }

  /**
   * Locks the table and reads its columns, in one round trip: the second statement sees what was
   * committed before the lock.
   *
   * @return null if the guard does not hold, the statements now mean another table, or a column
   *     does not store its values as they are
   */
  private Column @Nullable [] lock(PlainInsert insert, PlainTables.Plain table, Class<?>[] types)
      throws SQLException {
    String names =
        insert.columns().stream()
            .map(name -> "'" + quoted(name) + "'")
            .collect(Collectors.joining(", "));
    // An identity column that is always generated takes no value from an INSERT, but from a COPY.
    PreparedStatement both =
        session.prepare(
            """
            %5$s;
            select case when a.attidentity = '' and a.attgenerated = '' then a.atttypid end,
              %1$s and pg_catalog.to_regclass('%2$s') = '%3$s'::pg_catalog.regclass
            from unnest(array[%4$s]) with ordinality as written (name, place)
            left join pg_catalog.pg_attribute a
              on a.attrelid = '%3$s'::pg_catalog.regclass and a.attnum > 0 and not a.attisdropped
                and a.attname = (pg_catalog.parse_ident(written.name))[1]
            order by written.place
            """
                .formatted(
                    table.guard(),
                    quoted(insert.table()),
                    quoted(table.name()),
                    names,
                    locking(insert, table)));
    both.execute();
    both.getMoreResults();
    Column[] columns = new Column[types.length];
    try (ResultSet rows = both.getResultSet()) {
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

  private static boolean fit(List<@Nullable Object[]> rows, Column[] columns) {
    for (@Nullable Object[] row : rows) {
      for (int i = 0; i < columns.length; i++) {
        if (!columns[i].holds(row[i])) {
          return false;
        }
      }
    }
    return true;
  }

  private static void send(CopyIn copy, List<@Nullable Object[]> rows, Column[] columns)
      throws SQLException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(CHUNK + (CHUNK >> 2));
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.write(SIGNATURE);
      out.writeInt(0); // flags
      out.writeInt(0); // the length of an extension
      for (@Nullable Object[] row : rows) {
        out.writeShort(columns.length);
        for (int i = 0; i < columns.length; i++) {
          columns[i].write(out, row[i]);
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
