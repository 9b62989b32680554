/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.hosting.ServiceQueues;
import io.forebay.queue.QueueBackend;
import io.forebay.service.progress.HostedProgress;
import java.util.function.Supplier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;

/**
 * Registers the beans of each service. Only the return type of its bean method reveals their types.
 */
final class QueuedServices implements BeanDefinitionRegistryPostProcessor {

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    if (registry instanceof ConfigurableListableBeanFactory beans
        && beans.getBeanNamesForType(QueueBackend.class, true, false).length > 0) {
      for (String bean : beans.getBeanNamesForType(ListService.class, true, false)) {
        add(registry, beans, bean);
      }
    }
  }

  private static void add(
      BeanDefinitionRegistry registry, ConfigurableListableBeanFactory beans, String bean) {
    Supplier<ListService<?, ?>> service = () -> beans.getBean(bean, ListService.class);
    String queued = bean + "ChunkService";
    registry.registerBeanDefinition(
        queued,
        closed(new RootBeanDefinition(QueuedService.class, () -> queued(beans, service.get()))));

    ResolvableType types =
        beans.getMergedBeanDefinition(bean).getResolvableType().as(ListService.class);
    RootBeanDefinition chunks =
        closed(
            new RootBeanDefinition(
                QueueChunks.class,
                () ->
                    QueueChunks.to(
                        queues(beans.getBean(queued, QueuedService.class)),
                        service.get().codec())));
    chunks.setTargetType(
        ResolvableType.forClassWithGenerics(
            QueueChunks.class, types.getGeneric(0), types.getGeneric(1)));
    chunks.setLazyInit(true); // it starts a thread, which not every application needs
    registry.registerBeanDefinition(bean + "Chunks", chunks);
  }

  private static QueuedService queued(
      ConfigurableListableBeanFactory beans, ListService<?, ?> service) {
    HostedProgress progress =
        beans.getBeanProvider(HostedProgress.class).getIfAvailable(HostedProgress::none);
    ServiceQueues queues =
        ServiceQueues.open(beans.getBean(QueueBackend.class), service.name(), service.partitions());
    return new QueuedService(service, queues, progress);
  }

  private static ServiceQueues queues(QueuedService served) {
    return new ServiceQueues(served.name(), served.in(), served.out());
  }

  private static RootBeanDefinition closed(RootBeanDefinition definition) {
    definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
    return definition;
  }
}
