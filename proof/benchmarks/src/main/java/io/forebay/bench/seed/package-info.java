/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The design that Forebay is measured against, rebuilt from its description ("A deep dive into a
 * low latency microservice", 2016): a component without a transport, and a service that puts it
 * between two Chronicle queues by generated method writers and readers.
 */
@NullMarked
package io.forebay.bench.seed;

import org.jspecify.annotations.NullMarked;
