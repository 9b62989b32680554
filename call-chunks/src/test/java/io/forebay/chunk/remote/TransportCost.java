/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.remote.Parcel.Label;
import io.forebay.hosting.ServiceQueues;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Measures a single call, and a chunk of 100 calls, one after the other, over each transport; the
 * service does nothing. All are measured side by side in one run: the median of rounds, with the
 * best and the worst. A main class, not a test; it needs the JVM options of the build.
 */
final class TransportCost {

  private static final int CALLS = 100;
  private static final int CHUNKS = 500;
  private static final int ROUNDS = 9;

  private TransportCost() {}

  public static void main(String[] arguments) throws Exception {
    ChunkTransportContract.function = parcels -> Parcel.each(parcels, Parcel::label);
    ListService<Parcel, @Nullable Label> service = ChunkTransportContract.SERVICE;
    Path data = Files.createTempDirectory("forebay-transport-cost");
    try (ChunksServer server = ChunksServer.start(HttpTransportTest.Services.class);
        ChronicleBackend backend = ChronicleBackend.open(data);
        ServiceQueues queues = ServiceQueues.open(backend, "labels", 1);
        HttpChunks<Parcel, @Nullable Label> http =
            HttpChunks.to(
                server.address("/api/v1/chunks/labels"),
                Parcel.CODEC,
                HttpOptions.defaults().withToken(() -> "depot"));
        QueueChunks<Parcel, @Nullable Label> queued = QueueChunks.to(queues, Parcel.CODEC)) {
      QueuedService served = new QueuedService(service, queues);
      served.start();
      ChunkFunction<Parcel, @Nullable Label> codecAlone =
          parcels -> {
            byte[] replies =
                service.perform(Parcel.CODEC.readArguments(Parcel.CODEC.writeArguments(parcels)));
            Parcel.CODEC.readReplies(replies);
            return null;
          };
      List<String> names = List.of("codec alone", "HTTP", "Chronicle");
      List<ChunkFunction<Parcel, @Nullable Label>> all = List.of(codecAlone, http, queued);
      double[][] micros = new double[all.size()][ROUNDS];
      for (int round = -2; round < ROUNDS; round++) {
        for (int i = 0; i < all.size(); i++) {
          double taken = round(all.get(i));
          if (round >= 0) {
            micros[i][round] = taken;
          }
        }
      }
      for (int i = 0; i < all.size(); i++) {
        Arrays.sort(micros[i]);
        System.out.printf(
            Locale.ROOT,
            "%-14s %6.2f µs a call (%.2f to %.2f), %,6.0f µs a chunk of %d%n",
            names.get(i),
            micros[i][ROUNDS / 2],
            micros[i][0],
            micros[i][ROUNDS - 1],
            micros[i][ROUNDS / 2] * CALLS,
            CALLS);
      }
      served.stop();
    }
  }

  private static double round(ChunkFunction<Parcel, @Nullable Label> function) throws Exception {
    List<Parcel> parcels = Parcel.parcels(CALLS);
    long begin = System.nanoTime();
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      function.perform(parcels);
    }
    return (System.nanoTime() - begin) / 1_000.0 / CHUNKS / CALLS;
  }
}
